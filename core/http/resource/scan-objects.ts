import type { Static } from 'typebox'
import type { KubeObject } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Call } from '../endpoint/endpoint.ts'
import { rightsResource, toResource } from './resource-schemas.ts'
import type { listQuery, RoutedKind } from './resource-schemas.ts'

/** See {@link listQuery}. */
export type ListQuery = Static<typeof listQuery>
/** A call of a list of a kind. */
export type ListCall = Pick<Call<unknown, ListQuery, unknown>, 'query' | 'caller' | 'cursors' | 'directory' | 'signal'>

/** Position of a scan: the last completed namespace of a walk, and the last object with the chunk of the API server that has it. */
export interface Place {
  readonly done: string
  readonly in?: string
  readonly continue?: string
  readonly last?: string
}

/** Receives each object with the position after it. */
export type Visit = (object: KubeObject, place: Place) => 'more' | 'full'

/** Objects that the API server returns at a time. */
const CHUNK = 250

/** Namespace of a query; undefined for the whole cluster. Throws `invalid_query` for a kind of the cluster. */
export function namespaceOf(kind: RoutedKind, { namespace }: ListQuery): DnsLabel | undefined {
  if (namespace === undefined || namespace === '') return undefined
  if (kind.scope === 'Cluster') throw new Fail('invalid_query', `${kind.kind} is not namespaced.`)
  return parseLabel('?namespace', namespace)
}

/**
 * Whether a list walks the namespaces that the caller may list: with `scope=permitted`, and where the installation serves selected namespaces.
 * Then callers without permission get the cluster's 403, as for a list of the cluster.
 */
export async function isWalk(kind: RoutedKind, call: ListCall): Promise<boolean> {
  if (kind.scope === 'Cluster' || namespaceOf(kind, call.query) !== undefined) return false
  if (call.query.scope === 'permitted') return true
  if (call.directory?.limited !== true) return false
  await call.caller.review('list', rightsResource(kind), { namespace: '' })
  return true
}

/** Visits the objects of a list as the caller, by namespace and name, from a position until the visitor is full. */
export async function scanObjects(kind: RoutedKind, call: ListCall, from: Place, visit: Visit): Promise<void> {
  if (!(await isWalk(kind, call))) {
    await scanNamespace(kind, call, { namespace: namespaceOf(kind, call.query), from }, visit)
    return
  }
  if (call.directory === undefined) throw new Fail('not_wired')
  let { done } = from
  await call.directory.permitted(call.caller, 'list', rightsResource(kind), done, async ({ namespace }) => {
    if (namespace === '') return 'more'
    const inside = from.in === namespace ? from : {}
    const outcome = await scanNamespace(kind, call, { namespace, from: { ...inside, done } }, visit)
    done = namespace
    return outcome
  })
}

interface ScannedNamespace {
  readonly namespace: DnsLabel | undefined
  readonly from: Place
}

async function scanNamespace(
  kind: RoutedKind,
  { caller, query: { labelSelector }, signal }: ListCall,
  { namespace, from }: ScannedNamespace,
  visit: Visit,
): Promise<'more' | 'full'> {
  const options = {
    limit: CHUNK,
    signal,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  }
  const place = { done: from.done, ...(namespace === undefined ? {} : { in: namespace }) }
  for (let chunk = from.continue; ;) {
    const token = chunk === undefined ? {} : { continue: chunk }
    const page = await caller.cluster.list(toResource(kind), { ...options, ...token })
    for (const object of page.items) {
      const last = keyOf(object)
      if (from.last !== undefined && last <= from.last) continue
      if (visit(object, { ...place, ...token, last }) === 'full') return 'full'
    }
    if (page.continue === undefined || page.continue === '') return 'more'
    chunk = page.continue
  }
}

// The order of the API server is that of these keys.
function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`
}
