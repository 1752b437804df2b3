import { createHash } from 'node:crypto'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { EndedRun } from '#plugins/runs/contract/api.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { insertOnlineRuns } from '../store/online-runs.ts'
import { countOfDay, hasTargets, lockTargets } from '../store/online-targets.ts'
import type { OnlineTarget } from '../store/online-targets.ts'
import { scoreRunTask } from './score-run-task.ts'

/** Dependencies of the selection. */
export type SampleServices = Pick<EvalsServices, 'runs' | 'now' | 'settings'> & {
  readonly core: Pick<EvalsServices['core'], 'tasks'>
}

/** Selects those of the runs that are scored, within the limit of their agents per day, and queues them. */
export async function sampleRuns(
  services: SampleServices,
  tx: Tx,
  events: readonly StoredEvent<{ readonly runId: string }>[],
): Promise<void> {
  const db = tx.tables<EvalTables>()
  if (!(await hasTargets(db))) return
  const runIds = events.map(({ data }) => data.runId)
  // Cases of evaluations are scored by their evaluation.
  const runs = (await services.runs.succeededIn(tx, runIds)).filter(({ trigger }) => trigger !== 'eval')
  if (runs.length === 0) return
  for (const target of await lockTargets(db, [...new Set(runs.map(({ agentUid }) => agentUid))])) {
    const selected = runs.filter((run) => run.agentUid === target.agent_uid && isSampled(run, target))
    if (selected.length > 0) await select(services, tx, target, selected)
  }
}

async function select(
  { core, now, settings }: SampleServices,
  tx: Tx,
  target: OnlineTarget,
  runs: readonly EndedRun[],
): Promise<void> {
  const db = tx.tables<EvalTables>()
  const { agent_uid, suite_uid, namespace, namespace_uid: namespaceUid } = target
  const at = now()
  const day = at.toISOString().slice(0, 10)
  const most = settings.onlineRunsPerDay
  const within = await countOfDay(db, agent_uid, { day, runs: runs.length, most })
  const rows = runs.map(({ id }, index) => {
    const isWithin = index < within
    const [state, reason] = isWithin ? (['waiting', null] as const) : (['skipped', 'DailyLimit'] as const)
    return { run_id: id, agent_uid, suite_uid, at, state, reason }
  })
  const made = await insertOnlineRuns(db, rows)
  for (const { run_id: runId, state } of rows)
    if (state === 'waiting' && made.has(runId))
      await core.tasks.enqueue(tx, scoreRunTask, { namespace, namespaceUid, key: runId, payload: { runId } })
}

const RANGE = 2 ** 32

/** Whether a run is a part of the sample: by its id, so that every worker decides in the same way. Pure. */
export function isSampled(
  { id }: Pick<EndedRun, 'id'>,
  { spec, suite_uid: uid }: Pick<OnlineTarget, 'spec' | 'suite_uid'>,
): boolean {
  const place = createHash('sha256').update(`${uid} ${id}`).digest().readUInt32BE(0)
  return place < spec.sampleRate * RANGE
}
