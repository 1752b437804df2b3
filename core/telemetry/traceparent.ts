import { randomFillSync } from 'node:crypto'

/** Identifiers of a span in a distributed trace (W3C Trace Context, version 00). */
export interface Trace {
  readonly traceId: string // 32 lowercase hex digits
  readonly spanId: string // 16 lowercase hex digits
  readonly sampled: boolean
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** Parses a `traceparent` header; undefined if it is absent or invalid, as the recommendation requires. */
export function parseTraceparent(header: string | undefined): Trace | undefined {
  const match = header === undefined || header.length > 512 ? null : pattern.exec(header)
  if (match === null) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (traceId === noTrace || spanId === noSpan) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Starts a new, sampled trace. */
export function startTrace(): Trace {
  return { traceId: randomHex(16), spanId: newSpanId(), sampled: true }
}

/** Creates a span id within a trace. */
export function childOf(parent: Trace): Trace {
  return { ...parent, spanId: newSpanId() }
}

/** Formats the `traceparent` header of a span. */
export function formatTraceparent(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
}

function newSpanId(): string {
  return randomHex(8)
}

// A pool of random bytes for many ids, as for UUIDs.
const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool.toString('hex', used, (used += bytes))
}
