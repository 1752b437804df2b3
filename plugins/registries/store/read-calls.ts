import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { CallRow, RegistriesTables } from '../contract/tables.ts'
import { percentileOf } from './buckets.ts'

/** Calls of the last hour on one edge. */
export interface EdgeCalls {
  readonly count1h: number
  /** Undefined where it is not counted: for runs that an agent started. */
  readonly failed1h?: number
  readonly p95Ms?: number | null
}

/** Calls of agents by edge: from, to. */
export type CallsByEdge = ReadonlyMap<string, EdgeCalls>

/** An agent whose calls the caller may count. */
export interface CountedAgent {
  readonly uid: string
  readonly id: string
}

interface Sums {
  readonly agent_uid: string
  readonly kind: CallRow['kind']
  readonly target: string
  readonly provider: string
  readonly calls: number
  readonly failed: number
  readonly durations: Readonly<Record<string, number>>
}

const SHARE = 0.95

/** Calls of some agents in the last hour. Without agents nothing is read. */
export async function readCalls(db: Reader<RegistriesTables>, agents: readonly CountedAgent[]): Promise<CallsByEdge> {
  if (agents.length === 0) return new Map()
  const { rows } = await sql<Sums>`
    select agent_uid, kind, target, provider, sum(calls)::float8 as calls, sum(failed)::float8 as failed,
      jsonb_object_agg(bucket, calls) as durations
    from (select agent_uid, kind, target, provider, bucket, sum(calls)::float8 as calls, sum(failed)::float8 as failed
      from registries_calls where slot > clock_timestamp() - interval '65 minutes'
        and agent_uid = any(${agents.map(({ uid }) => uid)}::text[])
      group by agent_uid, kind, target, provider, bucket) by_bucket
    group by agent_uid, kind, target, provider`.execute(db)
  const ids = new Map(agents.map(({ uid, id }) => [uid, id]))
  const byEdge = Map.groupBy(
    rows.flatMap((row) => edgesOf(row, ids)),
    ({ edge }) => edge,
  )
  return new Map([...byEdge].map(([edge, parts]) => [edge, toCalls(parts.map(({ row }) => row))]))
}

// A model call is one of the agent on the route, and one of the route on the provider.
function edgesOf(row: Sums, ids: ReadonlyMap<string, string>): { edge: string; row: Sums }[] {
  const agent = ids.get(row.agent_uid) ?? ''
  if (row.kind === 'AgentDeployment') return [{ edge: `AgentDeployment/${row.target} ${agent}`, row }]
  const route = `ModelRoute/${row.target}`
  return [
    { edge: `${agent} ${route}`, row },
    { edge: `${route} ModelProvider/${row.provider}`, row },
  ]
}

function toCalls(rows: readonly Sums[]): EdgeCalls {
  const count1h = rows.reduce((sum, { calls }) => sum + calls, 0)
  if (rows.some(({ kind }) => kind === 'AgentDeployment')) return { count1h }
  const durations: Record<string, number> = {}
  for (const row of rows)
    for (const [bucket, calls] of Object.entries(row.durations)) durations[bucket] = (durations[bucket] ?? 0) + calls
  return {
    count1h,
    failed1h: rows.reduce((sum, { failed }) => sum + failed, 0),
    p95Ms: percentileOf(durations, SHARE),
  }
}
