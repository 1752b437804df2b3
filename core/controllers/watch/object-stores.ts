import type { KubeClient, KubeObject, ListOptions, ObjectRef, Resource, WriteOptions } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import type { WatchState } from './watch-states.ts'
import type { ReflectorHandler } from './reflector.ts'
import { createKindStore, storeKeyOf } from './kind-store.ts'
import type { KindStore, StoredKind, StoredRef } from './kind-store.ts'

/** One stored kind, as the watches of a reconciler fill it. */
export interface FollowedStore extends StoredKind {
  handler(namespace: string | undefined, listed: () => void): ReflectorHandler
  /** Kinds that are not watched are read from the API server. */
  setState(namespace: string | undefined, state: WatchState): void
}

/** Kinds that a reconciler keeps in memory, and a client that reads them there. */
export interface ObjectStores {
  readonly kinds: readonly FollowedStore[]
  /** Reads stored objects without a request. Its writes are stored immediately, so that no object is created twice. */
  readonly cluster: KubeClient
  /** Reads an object from the API server; undefined if it does not exist. */
  refresh<O extends KubeObject>(resource: Resource, ref: ObjectRef): Promise<O | undefined>
}

/**
 * Creates the stores of a reconciler (ADR 0219). An object that is not stored is read from the API server: the watch may not have reported it
 * yet, or it may have no label. An object whose write met a conflict is read from there once.
 */
export function createObjectStores(cluster: KubeClient, kinds: readonly StoredKind[]): ObjectStores {
  const stores = new Map(kinds.map((kind) => [nameOf(kind.resource), createReader(kind)]))
  const storeOf = (resource: Resource): Reader | undefined => stores.get(nameOf(resource))
  const get: KubeClient['get'] = async <O extends KubeObject>(
    ...[resource, ref, options]: Parameters<KubeClient['get']>
  ) => {
    const store = options?.metadataOnly === true ? undefined : storeOf(resource)
    const found = store?.find(ref)
    if (found !== undefined) return found as O
    return noted(store, ref, () => cluster.get<O>(resource, ref, options))
  }
  const stored: KubeClient = {
    ...cluster,
    get,
    list: async <O extends KubeObject>(resource: Resource, options: ListOptions = {}) => {
      const store = storeOf(resource)
      const items = store?.select(options)
      if (items !== undefined) return { items: items as readonly O[], resourceVersion: '', continue: undefined }
      const page = await cluster.list<O>(resource, options)
      store?.noteList(options, page.items)
      return page
    },
    create: async (resource, object, options) =>
      noted(writtenBy(options, storeOf(resource)), object.metadata, () => cluster.create(resource, object, options)),
    replace: async (resource, object, options) =>
      noted(writtenBy(options, storeOf(resource)), object.metadata, () => cluster.replace(resource, object, options)),
    patch: async (resource, ref, patch, options) =>
      noted(writtenBy(options, storeOf(resource)), ref, () => cluster.patch(resource, ref, patch, options)),
    delete: async <O extends KubeObject>(...[resource, ref, options]: Parameters<KubeClient['delete']>) => {
      const store = storeOf(resource)
      try {
        const deletion = await cluster.delete<O>(resource, ref, options)
        if (deletion.object === undefined) store?.remove(ref)
        else store?.note(deletion.object)
        return deletion
      } catch (error) {
        store?.doubt(ref, error)
        throw error
      }
    },
  }
  return {
    kinds: [...stores.values()],
    cluster: stored,
    refresh: <O extends KubeObject>(resource: Resource, ref: ObjectRef) =>
      noted(storeOf(resource), ref, () => cluster.get<O>(resource, ref)).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      }),
  }
}

async function noted<O extends KubeObject>(store: Reader | undefined, ref: StoredRef, call: () => Promise<O>) {
  try {
    const object = await call()
    store?.note(object)
    return object
  } catch (error) {
    store?.doubt(ref, error)
    throw error
  }
}

// Other subresources return something other than the object, and a dry run returns an object that is not stored.
function writtenBy({ subresource, dryRun }: WriteOptions = {}, store: Reader | undefined): Reader | undefined {
  return dryRun === true || (subresource !== undefined && subresource !== 'status') ? undefined : store
}

interface Reader extends FollowedStore, Pick<KindStore, 'remove'> {
  find(ref: ObjectRef): KubeObject | undefined
  /** The objects of a list with one value of the label; undefined if the API server must be asked. */
  select(options: ListOptions): readonly KubeObject[] | undefined
  note(object: KubeObject): void
  /** Replaces the doubted objects of a list by those that the API server returned. */
  noteList(options: ListOptions, items: readonly KubeObject[]): void
  /** Called when a call was refused because the stored object is outdated. */
  doubt(ref: StoredRef, error: unknown): void
}

function createReader(kind: StoredKind): Reader {
  const store = createKindStore(kind)
  const listed = new Set<string>()
  const unfollowed = new Set<string>()
  const doubts = new Map<string, StoredRef>()
  const note = (object: KubeObject): void => {
    store.put(object)
    doubts.delete(storeKeyOf(object.metadata))
  }
  const isComplete = (namespace = ''): boolean =>
    ['', namespace].some((part) => listed.has(part) && !unfollowed.has(part))
  return {
    ...kind,
    handler: (namespace, done) =>
      store.handler(namespace, () => {
        listed.add(namespace ?? '')
        unfollowed.delete(namespace ?? '')
        done()
      }),
    setState: (namespace = '', state) => {
      if (state === 'denied' || state === 'unserved') unfollowed.add(namespace)
      else unfollowed.delete(namespace)
    },
    find: (ref) => (isComplete(ref.namespace) && !doubts.has(storeKeyOf(ref)) ? store.get(ref) : undefined),
    select: (options) => {
      const { namespace } = options
      const value = valueOf(kind, options)
      if (value === undefined || namespace === undefined || !isComplete(namespace)) return undefined
      const isDoubted = [...doubts.values()].some((ref) => ref.namespace === namespace)
      return isDoubted ? undefined : store.labelled(namespace, value)
    },
    note,
    noteList: (options, items) => {
      const value = valueOf(kind, options)
      if (value === undefined) return
      for (const [key, ref] of doubts) {
        const before = store.get(ref)
        if (ref.namespace !== options.namespace || before?.metadata.labels?.[kind.label ?? ''] !== value) continue
        store.remove(ref)
        doubts.delete(key)
      }
      for (const object of items) note(object)
    },
    remove: store.remove,
    doubt: (ref, error) => {
      if (isStatus(error, 404)) {
        store.remove(ref)
        doubts.delete(storeKeyOf(ref))
        // An object that is not stored is read from the API server anyway.
      } else if (isStatus(error, 409) && store.get(ref) !== undefined) doubts.set(storeKeyOf(ref), ref)
    },
  }
}

// Returns the label value of a list that selects by the kind's label and by nothing else.
function valueOf({ label }: StoredKind, options: ListOptions): string | undefined {
  const [asked, value, ...more] = (options.labelSelector ?? '').split('=')
  const isOnly = Object.keys(options).every((one) => one === 'namespace' || one === 'labelSelector')
  return asked === label && more.length === 0 && isOnly ? value : undefined
}

function nameOf({ group, plural }: Resource): string {
  return `${group}/${plural}`
}
