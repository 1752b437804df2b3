import type { Core } from '#core/plugin/core-services.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { modelCallMetered } from '../events.ts'
import type { Metered } from '../events.ts'
import { createCallLabels, providerMetrics } from '../metrics.ts'
import type { NamedProvider } from './provider-failure.ts'
import type { GatewayError } from './openai-error.ts'

/** Attribution of a metered call. */
export interface MeteredCall {
  readonly data: Metered
  readonly actor: { readonly name: string; readonly kind: 'user' | 'system' }
  readonly traceparent: string
}

/** One failed attempt at a provider. */
export interface FailedAttempt {
  readonly route: { readonly namespace: string; readonly name: string }
  readonly provider: NamedProvider
  readonly failure: GatewayError
  readonly traceparent: string
}

/** Accounts for model calls. */
export interface Metering {
  /** Appends a call as an event, in the background. A call that cannot be written is counted and logged. */
  answered(call: MeteredCall): Promise<void>
  /** Counts and logs a failed attempt. */
  failed(attempt: FailedAttempt): void
}

/** Creates the functions. Without a store, calls are in the metrics only. */
export function createMetering(core: Core): Metering {
  const labelsOf = createCallLabels()
  const unmetered = core.metrics.counter(providerMetrics.unmetered)
  return {
    answered: async (call) => {
      count(core, call.data, labelsOf)
      try {
        await append(core, call)
      } catch (error) {
        unmetered.inc()
        const { namespace, name } = call.data.route
        core.log.error(
          { err: error instanceof Error ? error.message : 'unknown', route: name, namespace },
          'model call not metered',
        )
      }
    },
    failed: ({ route, provider, failure, traceparent }) => {
      const labels = labelsOf(`${route.namespace}/${route.name}`, `${provider.namespace}/${provider.name}`)
      core.metrics.counter(providerMetrics.failures).inc({ ...labels, reason: failure.reason })
      core.log.warn(
        {
          route: `${route.namespace}/${route.name}`,
          provider: `${provider.namespace}/${provider.name}`,
          reason: failure.reason,
          status: failure.status,
          traceparent,
        },
        'model call failed',
      )
    },
  }
}

function count({ metrics }: Core, data: Metered, labelsOf: ReturnType<typeof createCallLabels>): void {
  const labels = labelsOf(`${data.route.namespace}/${data.route.name}`, data.provider)
  const tokens = metrics.counter(providerMetrics.tokens)
  metrics.counter(providerMetrics.calls).inc({ ...labels, operation: data.operation, status: String(data.status) })
  metrics.histogram(providerMetrics.seconds).observe(data.durationMs / 1000, labels)
  if (data.status < 400) metrics.histogram(providerMetrics.firstByteSeconds).observe(data.firstByteMs / 1000, labels)
  tokens.inc({ ...labels, direction: 'input' }, data.inputTokens)
  tokens.inc({ ...labels, direction: 'output' }, data.outputTokens)
}

// One stream per call, so that calls of one route do not wait for each other.
async function append({ store }: Core, { data, actor, traceparent }: MeteredCall): Promise<void> {
  const { namespace, name, uid } = data.route
  const subject = { namespace, kind: 'ModelRoute', name, uid }
  const event = { type: modelCallMetered, subject, data, actor, traceparent }
  await store?.transact((tx) => tx.append(`model-calls/${uuidV7()}`, 0, [event]))
}
