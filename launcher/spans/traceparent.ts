import { randomBytes } from 'node:crypto'

/** A position in a trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

/** Reads a `traceparent`; undefined when it is absent or malformed, as the standard asks. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags] = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(text ?? '') ?? []
  if (version === undefined || version === 'ff' || traceId === undefined || spanId === undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags ?? '0', 16) & 1) === 1 }
}

/** A context below `parent`, or the root of a new trace. */
export function childContext(parent: TraceContext | undefined): TraceContext {
  const spanId = randomBytes(8).toString('hex')
  return parent === undefined ? { traceId: randomBytes(16).toString('hex'), spanId, sampled: true } : { ...parent, spanId }
}

/** The header that hands a context on. */
export function formatTraceparent(context: TraceContext): string {
  return `00-${context.traceId}-${context.spanId}-${context.sampled ? '01' : '00'}`
}
