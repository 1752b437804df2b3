import { defineCounter } from '#core/telemetry/metrics.ts'

/** Model calls through the gateway. */
export const providerMetrics = {
  calls: defineCounter({
    name: 'mesh_model_calls_total',
    help: 'Model calls by operation and status.',
    labels: ['operation', 'status'],
    roles: ['gateway'],
  }),
  tokens: defineCounter({
    name: 'mesh_model_tokens_total',
    help: 'Tokens of model calls by direction: input, output.',
    labels: ['direction'],
    roles: ['gateway'],
  }),
  unmetered: defineCounter({
    name: 'mesh_model_calls_unmetered_total',
    help: 'Model calls whose event could not be written.',
    labels: [],
    roles: ['gateway'],
  }),
}
