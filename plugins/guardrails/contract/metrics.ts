import { defineCounter } from '#core/telemetry/metrics.ts'

/** Decisions of guardrail policies in the gateway; names of policies are not labels, since users create them. */
export const guardrailMetrics = {
  decisions: defineCounter({
    name: 'mesh_guardrail_decisions_total',
    help: 'Matches of guardrail rules in the gateway by check, stage and action.',
    labels: ['check', 'stage', 'action'],
    roles: ['gateway'],
  }),
  checks: defineCounter({
    name: 'mesh_guardrail_http_checks_total',
    help: 'Calls of HTTP checks by outcome: passed, flagged, failed.',
    labels: ['outcome'],
    roles: ['gateway'],
  }),
}
