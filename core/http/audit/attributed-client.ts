import type { Caller, ReviewTarget } from '#core/cluster/caller.ts'
import type {
  CallOptions,
  KubeClient,
  KubeObject,
  ObjectRef,
  Patch,
  Resource,
  WriteOptions,
} from '#core/kube/client.ts'
import { isNewer } from '#core/kube/resource-version.ts'

/** A change of a cluster object that the API server accepted from a caller. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete'
  readonly kind: string
  readonly ref: { readonly namespace?: string | undefined; readonly name: string }
  readonly object: { readonly uid: string; readonly resourceVersion?: string }
}

/** What a caller tries, before the answer: a denial is audited with its place and object. */
export interface Attempts {
  asked(where: ReviewTarget): void
  attempted(object: {
    readonly kind: string
    readonly namespace: string | undefined
    readonly name: string | undefined
  }): void
}

/**
 * The same caller, whose changes are told to `report` when they are made, whatever becomes of the request around them, and whose
 * reviews to `asked` before they are answered: a denial is audited where it happened.
 */
export function reportingCaller(
  caller: Caller,
  report: (change: Change) => void,
  { asked, attempted }: Attempts,
): Caller {
  let cluster: KubeClient | undefined
  return {
    username: caller.username,
    bearer: caller.bearer,
    get cluster() {
      return (cluster ??= reportingClient(caller.cluster, report, attempted))
    },
    whoami: () => caller.whoami(),
    review: (verb, resource, where) => {
      asked(where)
      return caller.review(verb, resource, where)
    },
    may: (verb, resource, where) => caller.may(verb, resource, where),
  }
}

function reportingClient(
  cluster: KubeClient,
  report: (change: Change) => void,
  attempted: Attempts['attempted'],
): KubeClient {
  const trying = ({ kind }: Resource, ref: { readonly namespace?: string | undefined; readonly name?: string }): void =>
    attempted({ kind, namespace: ref.namespace, name: ref.name })
  const changed = (action: 'create' | 'update', resource: Resource, { metadata }: KubeObject): void => {
    const { uid, resourceVersion, name, namespace } = metadata
    if (uid === undefined || resourceVersion === undefined) return
    report({ action, kind: resource.kind, ref: { namespace, name }, object: { uid, resourceVersion } })
  }
  return {
    ...cluster,
    create: async (resource, object, options) => {
      trying(resource, object.metadata)
      const made = await cluster.create(resource, object, options)
      if (isChange(options)) changed('create', resource, made)
      return made
    },
    replace: async (resource, object, options) => {
      trying(resource, object.metadata)
      const replaced = await cluster.replace(resource, object, options)
      if (isChange(options) && isOwn(replaced, object.metadata.resourceVersion)) changed('update', resource, replaced)
      return replaced
    },
    patch: async <O extends KubeObject>(resource: Resource, ref: ObjectRef, patch: Patch, options?: WriteOptions) => {
      trying(resource, ref)
      const read = (): Promise<KubeObject> => cluster.get(resource, ref, boundsOf(options))
      const base = isChange(options) ? (versionIn(patch) ?? (await versionOf(read))) : undefined
      const patched = await cluster.patch<O>(resource, ref, patch, options)
      if (isOwn(patched, base)) changed('update', resource, patched)
      return patched
    },
    delete: async <O extends KubeObject>(...[resource, ref, options]: Parameters<KubeClient['delete']>) => {
      trying(resource, ref)
      const deletion = await cluster.delete<O>(resource, ref, options)
      if (options?.dryRun === true || deletion.uid === undefined) return deletion
      // Held by finalizers it was marked, which is a change of its own; the later removal is this caller's too.
      if (deletion.object?.metadata.deletionTimestamp !== undefined) changed('update', resource, deletion.object)
      report({ action: 'delete', kind: resource.kind, ref, object: { uid: deletion.uid } })
      return deletion
    },
  }
}

function isChange(options: WriteOptions | undefined): boolean {
  return options?.dryRun !== true && options?.subresource === undefined
}

// A write that changes nothing answers with the version that somebody else made.
function isOwn(answer: KubeObject, base: string | undefined): boolean {
  return base !== undefined && isNewer(answer.metadata.resourceVersion ?? '', base)
}

function versionIn(patch: Patch): string | undefined {
  if (patch.type === 'json') return undefined
  return (patch.body as Partial<KubeObject>).metadata?.resourceVersion
}

// A patch may name no version; then it is what the caller reads just before. Who may not read is not named.
async function versionOf(read: () => Promise<KubeObject>): Promise<string | undefined> {
  const before = await read().catch(() => undefined)
  return before?.metadata.resourceVersion
}

function boundsOf(options: WriteOptions | undefined): CallOptions {
  return options?.signal === undefined ? {} : { signal: options.signal }
}
