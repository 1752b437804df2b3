import type { Access } from '#core/cluster/caller.ts'
import { storeList } from '#core/http/store/store-list.ts'
import type { RowKey, StoreListCall, StorePage } from '#core/http/store/store-list.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { RunState } from '#schemas/runs/run.ts'
import type { Run } from '../contract/run.ts'
import type { CallerRuns, RunKey, RunFilter } from '../contract/caller-runs.ts'

/** Parsed query of a list of runs. */
export interface RunListQuery {
  readonly agent?: string
  readonly conversationId?: string
  readonly state?: RunState
  readonly label?: string
  readonly since?: string
}

/** An agent whose runs are listed, and the proof of the route's review. */
export interface ReviewedAgent {
  readonly uid: string
  readonly access: Access<'list', 'runs'>
}

/** Lists runs, newest first: of a namespace, of the cluster, of every namespace that the caller may list, or of one agent. */
export function listRunsFor(
  runs: Pick<CallerRuns, 'list'>,
  call: StoreListCall & { readonly query: RunListQuery },
  agent?: ReviewedAgent,
): Promise<StorePage<Run>> {
  const filter = toFilter(call.query, agent?.uid)
  return storeList(call, {
    resource: 'runs',
    ...(agent === undefined ? {} : { access: agent.access, bound: agent.uid }),
    read: (access, { limit, after }) => runs.list(access, filter, { limit, after: after && toKey(after) }),
    keyOf: ({ createdAt, id }) => [createdAt, id],
  })
}

function toFilter(query: RunListQuery, agentUid: string | undefined): RunFilter {
  const { agent, conversationId, state, label, since } = query
  return {
    agent,
    conversationId,
    agentUid,
    state,
    label: label === undefined ? undefined : toLabel(label),
    since: since === undefined ? undefined : new Date(since),
  }
}

function toLabel(label: string): readonly [string, string] {
  const at = label.indexOf('=')
  if (at > 0) return [label.slice(0, at), label.slice(at + 1)]
  throw new Fail('invalid_query', undefined, { errors: [{ pointer: '?label', detail: 'must be key=value' }] })
}

function toKey([createdAt, id]: RowKey): RunKey {
  return { createdAt: new Date(createdAt ?? ''), id: String(id) }
}
