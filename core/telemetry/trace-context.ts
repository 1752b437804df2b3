import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, SpanName, Tracer } from './tracer.ts'
import type { Trace } from './traceparent.ts'

/** Work that belongs to one trace: its log lines carry the trace id, its operations become spans under it. */
export interface TraceScope {
  run<Result>(work: () => Result): Result
  /** Ends the scope. Work started inside that still runs, such as a timer, has no trace afterwards. */
  close(): void
}

interface Current {
  readonly trace: Trace
  readonly tracer: Tracer | undefined
  open: boolean
}

const current = new AsyncLocalStorage<Current>()

/** Trace of the current asynchronous context, if any. */
export function currentTrace(): Trace | undefined {
  return openScope()?.trace
}

/** Creates a scope; without a tracer it only adds the trace id to log lines. */
export function createTraceScope(trace: Trace, tracer: Tracer | undefined): TraceScope {
  const mine: Current = { trace, tracer, open: true }
  return {
    run: (work) => current.run(mine, work),
    close: () => {
      mine.open = false
    },
  }
}

/** Adds attributes to the current span. */
export type Note = (attributes: Attributes) => void

/**
 * Runs `work` as a child span of the current one; without a trace or a tracer it only runs. Only the class of an error is recorded, never its
 * message.
 */
export async function inSpan<Result>(name: SpanName, work: (note: Note) => Promise<Result>): Promise<Result> {
  const scope = openScope()
  if (scope?.tracer === undefined || !scope.trace.sampled) return work(ignore)
  return asSpan({ tracer: scope.tracer, parent: scope.trace, name }, work)
}

/** Properties of a span whose parent comes from an event, or that has none. */
export interface SpanStart {
  readonly tracer: Tracer
  readonly parent: Trace | undefined
  readonly name: SpanName
  readonly attributes?: Attributes
}

/** Runs `work` as a span with its own scope. */
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
  // The trace is not sampled.
}
