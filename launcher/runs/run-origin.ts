import type { InvokeRequest } from '#schemas/runs/run.ts'
import type { RunAuthority, RunOrigin } from '../contract/runs/run-origin.ts'

/** A run that starts. */
interface StartingRun {
  readonly runId: string
  readonly request: InvokeRequest
  readonly authority?: RunAuthority
  readonly timeoutMs: number
}

/** The origin of a run that starts at a time. */
export function toOrigin(run: StartingRun, startedAt: Date): RunOrigin {
  const { rootRunId = run.runId, path = [], deadline } = run.request.context?.lineage ?? {}
  const { subject = '', scopes = [] } = run.authority ?? {}
  const limit = startedAt.getTime() + run.timeoutMs
  const end = deadline === undefined ? limit : Math.min(limit, Date.parse(deadline))
  return { subject, scopes, rootRunId, path, deadline: new Date(end) }
}
