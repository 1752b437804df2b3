import { asSpan, createTraceScope, currentTrace } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { formatTraceparent, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import type { SelectedRun } from '../store/tables.ts'
import { traceparentOf } from '../lifecycle/run-writer.ts'

/** Runs what a claim is driven by as a span of the run's own trace; without a tracer the log lines alone carry the trace. */
export async function inRunSpan<Result>(
  tracer: Tracer | undefined,
  run: SelectedRun,
  epoch: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const parent = parseTraceparent(traceparentOf(run)) ?? startTrace()
  if (tracer !== undefined) {
    const attributes = { 'mesh.run.id': run.id, 'mesh.run.epoch': epoch }
    return asSpan({ tracer, parent, name: 'drive run', attributes }, work)
  }
  const scope = createTraceScope(parent, undefined)
  return scope.run(work).finally(() => scope.close())
}

/** What a launcher is told: its span hangs below the one that drives the run. */
export function traceparentBelow(run: SelectedRun): string {
  const trace = currentTrace()
  return trace?.traceId === run.trace_id ? formatTraceparent(trace) : traceparentOf(run)
}
