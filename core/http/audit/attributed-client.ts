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
import { isNewer } from '#core/kube/list-request.ts'

/** A change of a cluster object on behalf of a caller, accepted by the API server. */
export interface AcceptedWrite {
  readonly action: 'create' | 'update' | 'delete'
  readonly kind: string
  readonly ref: { readonly namespace?: string | undefined; readonly name: string }
  readonly object: { readonly uid: string; readonly resourceVersion?: string }
}

/** Records what a caller attempts before the response, so that a denial is audited with namespace and object. */
export interface Attempts {
  asked(where: ReviewTarget): void
  attempted(object: {
    readonly kind: string
    readonly namespace: string | undefined
    readonly name: string | undefined
  }): void
}

/**
 * Wraps a caller: `report` receives its changes when they are made, even if the request fails later, and `asked` its reviews before the
 * cluster responds. A denial is thus audited where it happened.
 */
export function reportingCaller(
  caller: Caller,
  report: (change: AcceptedWrite) => void,
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
    rulesIn: (namespace, signal) => caller.rulesIn(namespace, signal),
    review: (verb, resource, where) => {
      asked(where)
      return caller.review(verb, resource, where)
    },
    may: (verb, resource, where) => caller.may(verb, resource, where),
  }
}

function reportingClient(
  cluster: KubeClient,
  report: (change: AcceptedWrite) => void,
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
      // An object held by finalizers was marked for deletion, its own change; its later removal is attributed to this caller too.
      if (deletion.object?.metadata.deletionTimestamp !== undefined) changed('update', resource, deletion.object)
      report({ action: 'delete', kind: resource.kind, ref, object: { uid: deletion.uid } })
      return deletion
    },
  }
}

function isChange(options: WriteOptions | undefined): boolean {
  return options?.dryRun !== true && options?.subresource === undefined
}

// A write without an effect returns a version created by another writer.
function isOwn(answer: KubeObject, base: string | undefined): boolean {
  return base !== undefined && isNewer(answer.metadata.resourceVersion ?? '', base)
}

function versionIn(patch: Patch): string | undefined {
  if (patch.type === 'json') return undefined
  return (patch.body as Partial<KubeObject>).metadata?.resourceVersion
}

// A patch may name no version, so the caller's client reads it just before. Changes of a caller without `get` are not attributed.
async function versionOf(read: () => Promise<KubeObject>): Promise<string | undefined> {
  const before = await read().catch(() => undefined)
  return before?.metadata.resourceVersion
}

function boundsOf(options: WriteOptions | undefined): CallOptions {
  return options?.signal === undefined ? {} : { signal: options.signal }
}
