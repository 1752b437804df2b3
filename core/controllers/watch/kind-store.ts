import type { KubeObject, ManagedFields, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isNewer } from '#core/kube/list-request.ts'
import type { ReflectorHandler, WatchChange } from './reflector.ts'

/** A kind whose objects are kept in memory. */
export interface StoredKind {
  readonly resource: Resource
  /** Only objects with this label are kept, and they are found by its value. */
  readonly label?: string | undefined
}

/** Namespace and name, as they are written in an object. */
export interface StoredRef {
  readonly namespace?: string | undefined
  readonly name: string
}

/** The objects of a kind, as reported by its watch and by the writes of this process. An older version never replaces a newer one. */
export interface KindStore extends StoredKind {
  get(ref: StoredRef): KubeObject | undefined
  /** Objects with this value of the label. */
  labelled(namespace: string, value: string): readonly KubeObject[]
  put(object: KubeObject): void
  remove(ref: StoredRef): void
  /** Keeps the store equal to a watch of one namespace, or of all. `listed` is called after each complete list. */
  handler(namespace: string | undefined, listed: () => void): ReflectorHandler
}

/** Creates an empty store. */
export function createKindStore({ resource, label }: StoredKind): KindStore {
  const objects = new Map<string, KubeObject>()
  const groups = new Map<string, Set<string>>()
  const groupOf = ({ metadata }: KubeObject): string | undefined =>
    label === undefined ? undefined : groupKey(metadata.namespace ?? '', metadata.labels?.[label] ?? '')
  const removeKey = (key: string): void => {
    const before = objects.get(key)
    objects.delete(key)
    const group = before === undefined ? undefined : groupOf(before)
    if (group === undefined) return
    const keys = groups.get(group)
    keys?.delete(key)
    if (keys?.size === 0) groups.delete(group)
  }
  const put = (given: KubeObject): void => {
    const key = keyOfObject(given)
    if (key === undefined || isOlder(given, objects.get(key))) return
    removeKey(key)
    if (label !== undefined && given.metadata.labels?.[label] === undefined) return
    const object = withoutFields(given)
    objects.set(key, object)
    const group = groupOf(object)
    if (group !== undefined) groups.set(group, (groups.get(group) ?? new Set()).add(key))
  }
  const changed = ({ type, object }: WatchChange): void => {
    const key = keyOfObject(object)
    if (type !== 'deleted') put(object)
    // The object may have been created again by this process, whose writes are stored immediately.
    else if (key !== undefined && !isOlder(object, objects.get(key))) removeKey(key)
  }
  return {
    resource,
    label,
    get: (ref) => objects.get(storeKeyOf(ref)),
    labelled: (namespace, value) =>
      [...(groups.get(groupKey(namespace, value)) ?? [])].flatMap((key) => objects.get(key) ?? []),
    put,
    remove: (ref) => removeKey(storeKeyOf(ref)),
    handler: (namespace, listed) => {
      let pages: KubeObject[] = []
      let last: string | undefined
      const isOfPart = (object: KubeObject): boolean =>
        namespace === undefined || object.metadata.namespace === namespace
      // An API server that was restored has older versions of everything.
      const replaceWith = (found: readonly KubeObject[], version: string): void => {
        const isRestored = last !== undefined && isNewer(last, version)
        const present = new Set(found.map(keyOfObject))
        for (const [key, object] of objects)
          if (isOfPart(object) && (isRestored || (!present.has(key) && !isNewer(versionOf(object), version))))
            removeKey(key)
        for (const object of found) put(object)
      }
      return {
        listing: async (_reason, since) => {
          pages = []
          last = since
        },
        page: async (page) => {
          pages.push(...page)
        },
        listed: async (version) => {
          replaceWith(pages, version)
          pages = []
          listed()
        },
        changed: async (changes) => {
          for (const change of changes) changed(change)
        },
      }
    },
  }
}

/** Key of an object in maps. */
export function storeKeyOf({ namespace = '', name }: StoredRef): string {
  return `${namespace}/${name}`
}

// Objects whose name is unsafe in a path are ignored (A11).
function keyOfObject({ metadata }: KubeObject): string | undefined {
  const { namespace, name } = metadata
  return isName(name) && (namespace === undefined || isLabel(namespace)) ? storeKeyOf({ namespace, name }) : undefined
}

function groupKey(namespace: string, value: string): string {
  return `${namespace}/${value}`
}

function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? ''
}

function isOlder(object: KubeObject, than: KubeObject | undefined): boolean {
  return than !== undefined && isNewer(versionOf(than), versionOf(object))
}

// `managedFields` are half of the bytes of an object, and no reconciler reads them.
function withoutFields(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata
  if (!Array.isArray(managedFields)) return object
  const managers = managedFields.map((one: ManagedFields) => ({ ...one, fieldsV1: NOTHING }))
  return { ...object, metadata: { ...object.metadata, managedFields: managers } }
}

const NOTHING = {}
