import type { IncomingMessage } from 'node:http'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import { singleHeader } from '../http/headers.ts'
import { Refusal } from '../http/refusal.ts'
import type { ActiveRuns } from './active-runs.ts'

/** The run to which a request of the agent belongs; undefined: the agent acts outside of a run. */
export interface Attribution {
  readonly runId: string | undefined
  /** Parent of the request's span. */
  readonly parent: Trace | undefined
}

/**
 * Attributes a request of the agent: to the run of `X-Mesh-Run-Id`, else to the active run with the trace of `traceparent`, else to the
 * only active run. Throws `Refusal` for a run that is not active.
 */
export function attribute(request: IncomingMessage, registry: Pick<ActiveRuns, 'active' | 'traceOf'>): Attribution {
  const parent = parseTraceparent(singleHeader(request, 'traceparent'))
  const active = registry.active()
  const named = singleHeader(request, 'x-mesh-run-id')
  if (named !== undefined && !active.includes(named)) throw new Refusal('unknown_run')
  const traced = (runId: string): boolean => parent !== undefined && registry.traceOf(runId)?.traceId === parent.traceId
  const runId = named ?? active.find(traced) ?? (active.length === 1 ? active[0] : undefined)
  return { runId, parent: parent ?? (runId === undefined ? undefined : registry.traceOf(runId)) }
}
