import { defineCounter, defineHistogram } from '#core/telemetry/metrics.ts'

/**
 * Model calls through the gateway. `route` and `provider` are namespace/name. They are the exception to bounded label values: an
 * installation has few, and above `MAX_LABELLED` pairs further ones are `other`.
 */
export const providerMetrics = {
  calls: defineCounter({
    name: 'mesh_model_calls_total',
    help: 'Model calls by operation, status, route and provider.',
    labels: ['operation', 'status', 'route', 'provider'],
    roles: ['gateway'],
  }),
  failures: defineCounter({
    name: 'mesh_model_call_failures_total',
    help: 'Failed tries at a provider by reason, also those that a fallback made up for.',
    labels: ['route', 'provider', 'reason'],
    roles: ['gateway'],
  }),
  seconds: defineHistogram({
    name: 'mesh_model_call_seconds',
    help: 'Duration of model calls up to the end of the answer.',
    labels: ['route', 'provider'],
    roles: ['gateway'],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  }),
  tokens: defineCounter({
    name: 'mesh_model_tokens_total',
    help: 'Tokens of model calls by direction (input, output), route and provider.',
    labels: ['direction', 'route', 'provider'],
    roles: ['gateway'],
  }),
  unmetered: defineCounter({
    name: 'mesh_model_calls_unmetered_total',
    help: 'Model calls whose event could not be written.',
    labels: [],
    roles: ['gateway'],
  }),
}

/** Most pairs of route and provider that metrics tell apart in one process. */
export const MAX_LABELLED = 200

/** A function that gives the labels of a route and a provider, `other` for both once there are too many pairs. */
export function createCallLabels(limit: number = MAX_LABELLED) {
  const known = new Set<string>()
  return (route: string, provider: string): { readonly route: string; readonly provider: string } => {
    const pair = `${route} ${provider}`
    if (!known.has(pair) && known.size >= limit) return { route: 'other', provider: 'other' }
    known.add(pair)
    return { route, provider }
  }
}
