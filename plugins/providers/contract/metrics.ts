import { defineCounter, defineHistogram } from '#core/telemetry/metrics.ts'

/**
 * Model calls of the gateway. `route` and `provider` are namespace/name. Their number is bounded by `labelBounds`, since users create
 * these names; beyond it both labels are `other`.
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
    help: 'Failed attempts at a provider by reason, including those with a successful fallback.',
    labels: ['route', 'provider', 'reason'],
    roles: ['gateway'],
  }),
  seconds: defineHistogram({
    name: 'mesh_model_call_seconds',
    help: 'Duration of model calls until the end of the response.',
    labels: ['route', 'provider'],
    roles: ['gateway'],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  }),
  firstByteSeconds: defineHistogram({
    name: 'mesh_model_first_byte_seconds',
    help: 'Time from the request to the response headers of successful model calls.',
    labels: ['route', 'provider'],
    roles: ['gateway'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
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

/** Filters of model calls. `filter` is the name that its plugin declares; no label contains content. */
export const filterMetrics = {
  decisions: defineCounter({
    name: 'mesh_model_filter_decisions_total',
    help: 'Decisions of filters by stage and outcome: passed, changed, refused, failed or timed_out.',
    labels: ['filter', 'stage', 'outcome'],
    roles: ['gateway'],
  }),
  seconds: defineHistogram({
    name: 'mesh_model_filter_seconds',
    help: 'Duration of decisions of filters, waiting included.',
    labels: ['filter', 'stage'],
    roles: ['gateway'],
    buckets: [0.0001, 0.001, 0.01, 0.1, 0.5, 1, 5, 30],
  }),
  busy: defineCounter({
    name: 'mesh_model_filter_busy_seconds_total',
    help: 'Time that filters occupied the event loop until they returned a decision or a promise.',
    labels: ['filter'],
    roles: ['gateway'],
  }),
}

/** Maximum number of pairs of route and provider in the metrics of one process, in total and per namespace of the route. */
export const labelBounds = { pairs: 500, pairsPerNamespace: 20 }

/** The labels of a call. */
export interface CallLabels {
  readonly route: string
  readonly provider: string
}

/** Returns the labels of a route and a provider (each namespace/name), `other` for both above the bounds. */
export function createCallLabels(bounds = labelBounds): (route: string, provider: string) => CallLabels {
  const known = new Set<string>()
  const perNamespace = new Map<string, number>()
  return (route, provider) => {
    const pair = `${route} ${provider}`
    if (known.has(pair)) return { route, provider }
    // A tenant with many routes cannot use up the labels of others.
    const namespace = route.slice(0, route.indexOf('/'))
    const taken = perNamespace.get(namespace) ?? 0
    if (known.size >= bounds.pairs || taken >= bounds.pairsPerNamespace) return { route: 'other', provider: 'other' }
    known.add(pair)
    perNamespace.set(namespace, taken + 1)
    return { route, provider }
  }
}
