import type { InvokeRequest } from '#schemas/runs/run.ts'

/** For whom a run is done, by its verified grant. */
export interface RunAuthority {
  readonly subject: string
  readonly scopes: readonly string[]
}

/** Where a run comes from: what its agent passes on when it calls another agent. */
export interface RunOrigin extends RunAuthority {
  readonly rootRunId: string
  /** Agents (`namespace/name`) of the runs above, from the root run down. */
  readonly path: readonly string[]
  /** The end of the run: its own time limit, or the deadline of the run that called it. */
  readonly deadline: Date
}

/** The origin of a run that starts now. */
export function toOrigin(run: {
  readonly runId: string
  readonly request: InvokeRequest
  readonly authority?: RunAuthority
  readonly timeoutMs: number
  readonly now: () => Date
}): RunOrigin {
  const { rootRunId = run.runId, path = [], deadline } = run.request.context?.lineage ?? {}
  const { subject = '', scopes = [] } = run.authority ?? {}
  const limit = run.now().getTime() + run.timeoutMs
  const end = deadline === undefined ? limit : Math.min(limit, Date.parse(deadline))
  return { subject, scopes, rootRunId, path, deadline: new Date(end) }
}
