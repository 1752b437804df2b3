import { randomBytes } from 'node:crypto'

/** A position in a distributed trace (W3C Trace Context, version 00). */
export interface Trace {
  readonly traceId: string // 32 lowercase hex digits
  readonly spanId: string // 16 lowercase hex digits
  readonly sampled: boolean
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads a `traceparent` header; undefined when it is absent or not valid, as the recommendation says. */
export function parseTraceparent(header: string | undefined): Trace | undefined {
  const match = header === undefined || header.length > 512 ? null : pattern.exec(header)
  if (match === null) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** A new trace, sampled. */
export function startTrace(): Trace {
  return { traceId: randomBytes(16).toString('hex'), spanId: newSpanId(), sampled: true }
}

/** A new span within a trace. */
export function childOf(parent: Trace): Trace {
  return { ...parent, spanId: newSpanId() }
}

/** The `traceparent` header of a span. */
export function formatTraceparent(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
}

function newSpanId(): string {
  return randomBytes(8).toString('hex')
}
