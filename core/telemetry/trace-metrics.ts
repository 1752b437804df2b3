import { defineCounter } from './metrics.ts'

/** Traces. */
export const traceMetrics = {
  exported: defineCounter({
    name: 'mesh_trace_spans_exported_total',
    help: 'Spans that the collector took.',
    labels: [],
    roles: ['every'],
  }),
  dropped: defineCounter({
    name: 'mesh_trace_spans_dropped_total',
    help: 'Spans dropped: the collector was away or the queue was full.',
    labels: [],
    roles: ['every'],
  }),
}
