import { defineCounter } from './metrics.ts'

/** Traces. */
export const traceMetrics = {
  exported: defineCounter({
    name: 'mesh_trace_spans_exported_total',
    help: 'Spans accepted by the collector.',
    labels: [],
    roles: ['every'],
  }),
  dropped: defineCounter({
    name: 'mesh_trace_spans_dropped_total',
    help: 'Spans dropped because the collector was unavailable or the queue was full.',
    labels: [],
    roles: ['every'],
  }),
}
