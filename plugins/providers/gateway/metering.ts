import type { Core } from '#core/host/core.ts'
import { uuidV7 } from '#core/store/uuid-v7.ts'
import { modelCallMetered } from '../events.ts'
import type { Metered } from '../events.ts'
import { providerMetrics } from '../metrics.ts'

/** Who and what a metered call belongs to, beside its numbers. */
export interface MeteredCall {
  readonly data: Metered
  readonly actor: { readonly name: string; readonly kind: 'user' | 'system' }
  readonly traceparent: string
}

/** Notes a model call as an event. Nothing waits for it; a call that cannot be noted is counted and logged. */
export type Metering = (call: MeteredCall) => Promise<void>

/** Makes the function; without a store only the metrics know. */
export function createMetering(core: Core): Metering {
  const calls = core.metrics.counter(providerMetrics.calls)
  const tokens = core.metrics.counter(providerMetrics.tokens)
  const lost = core.metrics.counter(providerMetrics.unmetered)
  return async ({ data, actor, traceparent }) => {
    calls.inc({ operation: data.operation, status: String(data.status) })
    tokens.inc({ direction: 'input' }, data.inputTokens)
    tokens.inc({ direction: 'output' }, data.outputTokens)
    const { namespace, name, uid } = data.route
    const subject = { namespace, kind: 'ModelRoute', name, uid }
    // A stream of its own: calls of one route must not wait for each other.
    const stream = `model-calls/${uuidV7()}`
    try {
      await core.store?.transact((tx) =>
        tx.append(stream, 0, [{ type: modelCallMetered, subject, data, actor, traceparent }]),
      )
    } catch (error) {
      lost.inc()
      core.log.error(
        { err: error instanceof Error ? error.message : 'unknown', route: name, namespace },
        'a model call was not metered',
      )
    }
  }
}
