import { defineFailures } from './failure.ts'
import type { FailureRow } from './failure.ts'
import { otlpHttpPort } from '#plugins/traces/launcher/port.ts'

const nanos = (): string => String(BigInt(Date.now()) * 1_000_000n)

const taken = { status: 200 }
const through: Omit<FailureRow, 'dependency'> = {
  request: () => {
    const times = { startTimeUnixNano: nanos(), endTimeUnixNano: nanos() }
    const span = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', name: 'work', ...times }
    return { method: 'POST', path: '/v1/traces', body: { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] } }
  },
  healthy: 200,
  killed: taken,
  frozen: taken,
  slow: taken,
  note: 'Spans are dropped and counted (H4), also those of the port for gRPC.',
}

/** Spans of agents while their destinations fail. */
export const collectorFailures = defineFailures(otlpHttpPort, {
  'POST /v1/traces': [
    { ...through, dependency: 'collector' },
    { ...through, dependency: 'state role' },
    { ...through, dependency: 'PostgreSQL' },
  ],
})
