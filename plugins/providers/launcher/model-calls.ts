import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import type { GatewayTimeouts } from '#launcher/contract/calls/gateway-timeouts.ts'
import type { CallContext, ModelCalls } from '#launcher/contract/calls/model-call.ts'
import type { FilteredCall, ModelFilter } from '#launcher/contract/calls/model-filter.ts'
import type { ModelRequest } from '#launcher/contract/calls/model-request.ts'
import { freeCharge } from '#launcher/contract/calls/payment.ts'
import type { Charge, Payment } from '#launcher/contract/calls/payment.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { createTokenReader } from '#launcher/contract/state/state-client.ts'
import { forwardCall } from './forward-call.ts'

/** Options of `createModelCalls`. */
export interface ModelCallsOptions {
  readonly gatewayUrl: string
  readonly gatewayTokenFile: string | undefined
  readonly namespace: string
  readonly dispatcher: () => Promise<Dispatcher>
  readonly timeouts?: GatewayTimeouts | undefined
  /** Undefined: no limit applies to the agent or the agents above. */
  readonly payment: Payment | undefined
  /** Undefined: no rules apply to its calls. */
  readonly filter: ModelFilter | undefined
  readonly log: Logger
}

/** Maximum streams in progress: the launcher's connections to the gateway. */
const maxCalls = 256

/** Maximum bytes of all requests in progress: the launcher has 512 MiB of memory. */
const maxRequestBytes = 128 * 1024 * 1024

/** Creates the service. */
export function createModelCalls(options: ModelCallsOptions): ModelCalls {
  const live = new Set<AbortController>()
  let bytes = 0
  let waiters: (() => void)[] = []
  const { origin, pathname } = new URL(options.gatewayUrl)
  const prefix = pathname === '/' ? '' : pathname
  const to = { ...options, origin, prefix, token: createTokenReader(options.gatewayTokenFile) }
  const admit = (length: number): AbortController => {
    if (live.size >= maxCalls || (live.size > 0 && bytes + length > maxRequestBytes))
      throw new Refusal('too_many_calls', undefined, { 'retry-after': '1' })
    const controller = new AbortController()
    live.add(controller)
    bytes += length
    return controller
  }
  const leave = (controller: AbortController, length: number): void => {
    live.delete(controller)
    bytes -= length
    if (live.size > 0) return
    for (const resolve of waiters) resolve()
    waiters = []
  }
  const idle = (): Promise<void> => {
    if (live.size === 0) return Promise.resolve()
    return new Promise((resolve) => waiters.push(resolve))
  }
  return {
    active: () => live.size,
    idle,
    async call(request, context, sink) {
      const { length } = request.source.bytes
      const controller = admit(length)
      const abort = (): void => controller.abort(context.signal.reason)
      context.signal.addEventListener('abort', abort, { once: true })
      if (context.signal.aborted) abort()
      try {
        const onLost = (): void => controller.abort(new Refusal('budget_unavailable'))
        const charge = await chargeFor(options, request, { context, onLost })
        const { response, ...filtered } = await applyFilter(options, request, context).catch(async (error: unknown) => {
          // A refusal releases the money.
          await charge.release()
          throw error
        })
        const call = { ...filtered, filter: response, context, sink, charge }
        return await forwardCall(to, call, controller.signal).catch((error: unknown) => {
          throw filtered.refusal?.(error) ?? error
        })
      } finally {
        context.signal.removeEventListener('abort', abort)
        leave(controller, length)
      }
    },
    async stop() {
      for (const controller of live) controller.abort(new Refusal('draining'))
      await idle()
      await options.payment?.close()
    },
  }
}

async function applyFilter(
  { filter }: ModelCallsOptions,
  request: ModelRequest,
  context: CallContext,
): Promise<FilteredCall> {
  return filter === undefined ? { request } : filter.apply(request, context)
}

async function chargeFor(
  { payment }: ModelCallsOptions,
  request: ModelRequest,
  { context: { runId, signal }, onLost }: { readonly context: CallContext; readonly onLost: () => void },
): Promise<Charge> {
  const charge = (await payment?.open(request, runId, onLost)) ?? freeCharge
  if (!signal.aborted) return charge
  await charge.release()
  throw signal.reason
}
