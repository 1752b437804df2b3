import type { Access } from '#core/cluster/caller.ts'
import { storeList } from '#core/http/store/store-list.ts'
import type { RowKey, StoreListCall, StorePage } from '#core/http/store/store-list.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { Run } from '../contract/run.ts'
import type { CallerRuns, RunKey, RunFilter, RunOrder } from '../contract/caller-runs.ts'
import { MAX_COUNTED } from '../store/lists/select-runs.ts'
import { toFilter } from './run-filter.ts'
import type { RunFilterQuery } from './run-filter.ts'

/** Parsed query of a list of runs. */
export type RunListQuery = RunFilterQuery & { readonly order?: RunOrder; readonly total?: boolean }

/** A page of runs, with the number of runs in all pages if the query asks for it. */
export type RunListPage = StorePage<Run> & { readonly total?: number }

/** An agent whose runs are listed, and the proof of the route's review. */
export interface ReviewedAgent {
  readonly uid: string
  readonly access: Access<'list', 'runs'>
}

/** Lists runs: of a namespace, of the cluster, of every namespace that the caller may list, or of one agent. */
export async function listRunsFor(
  runs: Pick<CallerRuns, 'list' | 'count'>,
  call: StoreListCall & { readonly query: RunListQuery },
  agent?: ReviewedAgent,
): Promise<RunListPage> {
  const filter = toFilter(call.query, agent?.uid)
  const { order = 'newest', total = false } = call.query
  const page = await storeList(call, {
    resource: 'runs',
    ...(agent === undefined ? {} : { access: agent.access, bound: agent.uid }),
    read: (access, { limit, after }) =>
      runs.list(access, filter, { limit, order, after: after && toKey(order, after) }),
    keyOf: ({ createdAt, durationMs, id }) => [order === 'longest' ? (durationMs ?? 0) : createdAt, id],
  })
  return total ? { ...page, total: await totalOf(runs, call, filter, agent) } : page
}

// Reviewed again: a page does not return its proofs.
async function totalOf(
  runs: Pick<CallerRuns, 'count'>,
  { query, caller, directory }: StoreListCall,
  filter: RunFilter,
  agent: ReviewedAgent | undefined,
): Promise<number> {
  if (agent !== undefined) return runs.count(agent.access, filter)
  const namespace = query.namespace ? parseLabel('?namespace', query.namespace) : ''
  if (query.scope !== 'permitted' || namespace !== '')
    return runs.count(await caller.review('list', 'runs', { namespace }), filter)
  if (directory === undefined) throw new Fail('not_wired')
  let total = 0
  await directory.permitted(caller, 'list', 'runs', '', async (access) => {
    total += await runs.count(access, filter)
    return total < MAX_COUNTED ? 'more' : 'full'
  })
  return Math.min(total, MAX_COUNTED)
}

function toKey(order: RunOrder, [first, id]: RowKey): RunKey {
  if (order === 'longest') return { createdAt: new Date(0), durationMs: Number(first), id: String(id) }
  return { createdAt: new Date(first ?? ''), id: String(id) }
}
