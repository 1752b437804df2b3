import { defineCounter } from '#core/telemetry/metrics.ts'

/** Metrics of the state role. */
export const mcpMetrics = {
  calls: defineCounter({
    name: 'mesh_mcp_tool_calls_total',
    help: 'Tool calls by outcome: ok, tool_error (the tool reports a failure), or the code of the refusal.',
    labels: ['outcome'],
    roles: ['state'],
  }),
}
