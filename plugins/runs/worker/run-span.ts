import { asSpan, createTraceScope, currentTrace } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { formatTraceparent, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { traceparentOf } from '../lifecycle/run-writer.ts'

/** Executes `work` as a span of the run's own trace. Without a tracer only the log lines have the trace id. */
export async function inRunSpan<Result>(
  tracer: Tracer | undefined,
  run: SelectedRun,
  epoch: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const parent = parseTraceparent(traceparentOf(run)) ?? startTrace()
  if (tracer !== undefined) {
    const attributes = { 'mesh.run.id': run.id, 'mesh.run.epoch': epoch }
    return asSpan({ tracer, parent, name: 'execute run', attributes }, work)
  }
  const scope = createTraceScope(parent, undefined)
  return scope.run(work).finally(() => scope.close())
}

/** The traceparent for a launcher: its span is a child of the span that executes the run. */
export function traceparentBelow(run: SelectedRun): string {
  const trace = currentTrace()
  return trace?.traceId === run.trace_id ? formatTraceparent(trace) : traceparentOf(run)
}
