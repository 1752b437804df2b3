import { defineCounter } from '#core/telemetry/metrics.ts'

/** Spans of agents. */
export const tracesMetrics = {
  spans: defineCounter({
    name: 'mesh_traces_spans_total',
    help: 'Spans that launchers sent, by outcome: stored, malformed, foreign_trace, over_quota.',
    labels: ['outcome'],
    roles: ['state'],
  }),
  removed: defineCounter({
    name: 'mesh_traces_chunks_removed_total',
    help: 'Removed chunks of spans, by reason: expired, agent_deleted, run_deleted.',
    labels: ['reason'],
    roles: ['worker'],
  }),
}
