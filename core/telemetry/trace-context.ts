import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, SpanName, Tracer } from './tracer.ts'
import type { Trace } from './traceparent.ts'

/** A stretch of work that belongs to one trace: its log lines carry the trace's id, its operations become spans under it. */
export interface TraceScope {
  run<Result>(work: () => Result): Result
  /** What was started inside and still runs (a timer, a loop) is of no trace after this. */
  close(): void
}

interface Current {
  readonly trace: Trace
  readonly tracer: Tracer | undefined
  open: boolean
}

const current = new AsyncLocalStorage<Current>()

/** The trace of the work under way, if it is of one. */
export function currentTrace(): Trace | undefined {
  return openScope()?.trace
}

/** Makes a scope; without a tracer it is for the log alone. */
export function createTraceScope(trace: Trace, tracer: Tracer | undefined): TraceScope {
  const mine: Current = { trace, tracer, open: true }
  return {
    run: (work) => current.run(mine, work),
    close: () => {
      mine.open = false
    },
  }
}

/** Adds attributes to the span under way. */
export type Note = (attributes: Attributes) => void

/**
 * Runs `work` as a span under the current one; outside a trace, or without a tracer, it just runs. An error's class is noted, never its
 * message.
 */
export async function inSpan<Result>(name: SpanName, work: (note: Note) => Promise<Result>): Promise<Result> {
  const scope = openScope()
  if (scope?.tracer === undefined || !scope.trace.sampled) return work(ignore)
  return asSpan({ tracer: scope.tracer, parent: scope.trace, name }, work)
}

/** What a span is made of that has its parent from elsewhere: from an event, or none at all. */
export interface SpanStart {
  readonly tracer: Tracer
  readonly parent: Trace | undefined
  readonly name: SpanName
  readonly attributes?: Attributes
}

/** Runs `work` as a span of its own scope. */
export async function asSpan<Result>(start: SpanStart, work: (note: Note) => Promise<Result>): Promise<Result> {
  const span = start.tracer.start(start.name, start.parent, start.attributes)
  const scope = createTraceScope(span, start.tracer)
  let noted: Attributes = {}
  const note: Note = (attributes) => {
    noted = { ...noted, ...attributes }
  }
  try {
    const result = await scope.run(() => work(note))
    span.end('ok', noted)
    return result
  } catch (error) {
    span.end('error', { ...noted, 'error.type': error instanceof Error ? error.name : 'unknown' })
    throw error
  } finally {
    scope.close()
  }
}

function openScope(): Current | undefined {
  const scope = current.getStore()
  return scope?.open === true ? scope : undefined
}

function ignore(): void {
  // Nothing is recorded.
}
