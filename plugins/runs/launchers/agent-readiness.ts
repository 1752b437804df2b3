import type { Caller } from '#core/cluster/caller.ts'
import { parseRef } from '#core/kube/names.ts'
import { agentResource } from './agent-resource.ts'
import type { JudgedAgent } from './judge-readiness.ts'
import type { RunDetail } from '../contract/run.ts'
import type { SelectedRun } from '../contract/tables.ts'

// A run that starts immediately needs no read of its agent.
const waitsAfterMs = 2_000
const readMs = 3_000
const maxMessage = 2_000

/**
 * Adds the reason why the agent of a run is not ready: `waitReason` of a queued run, the error of a run that failed for that reason. Reads the
 * condition Ready with the caller's rights, so that an agent which the caller may not get stays hidden.
 */
export async function explainReadiness(
  caller: Pick<Caller, 'cluster'>,
  run: RunDetail,
  row: Pick<SelectedRun, 'agent_uid'>,
  now: Date,
): Promise<RunDetail> {
  const isWaiting = run.state === 'queued' && now.getTime() - Date.parse(run.createdAt) > waitsAfterMs
  if (!isWaiting && run.failReason !== 'agent_unreachable') return run
  const unready = await readUnready(caller, run, row)
  if (unready === undefined) return run
  const { reason, message } = unready
  if (isWaiting) return { ...run, waitReason: { code: 'agent_not_ready', reason, message } }
  // A later transition does not concern this run.
  const isOlder = unready.since !== undefined && unready.since <= Date.parse(run.finishedAt ?? '')
  return isOlder ? { ...run, error: { code: 'agent_unreachable', message: unready.message } } : run
}

interface Unready {
  readonly reason: string | undefined
  readonly message: string
  readonly since: number | undefined
}

async function readUnready(
  { cluster }: Pick<Caller, 'cluster'>,
  { agent }: RunDetail,
  row: Pick<SelectedRun, 'agent_uid'>,
): Promise<Unready | undefined> {
  if (agent === null) return undefined
  const ref = parseRef(agent, ['agent namespace', 'agent'])
  // Forbidden, deleted or unavailable: the run is shown without it.
  const found = await cluster
    .get<JudgedAgent>(agentResource, ref, { signal: AbortSignal.timeout(readMs) })
    .catch(() => undefined)
  const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready')
  if (found?.metadata.uid !== row.agent_uid || ready === undefined || ready.status === 'True') return undefined
  const why = [ready.reason, ready.message].filter((part) => part !== undefined && part !== '').join(': ')
  const message = `No pod of ${agent.namespace}/${agent.name} is ready: ${why}`.slice(0, maxMessage)
  const since = Date.parse(ready.lastTransitionTime ?? '')
  return { reason: ready.reason, message, since: Number.isNaN(since) ? undefined : since }
}
