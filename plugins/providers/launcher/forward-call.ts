import type { Dispatcher } from 'undici'
import { exchange } from '#core/http-client/request.ts'
import type { Logger } from '#core/log/logger.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { openResponse, uncounted } from './responses.ts'
import type { CallResponse, AdmittedCall } from './responses.ts'
import { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import { defaultTimeouts, isTimeout } from '#launcher/contract/calls/gateway-timeouts.ts'
import type { GatewayTimeouts } from '#launcher/contract/calls/gateway-timeouts.ts'
import type { CallResult } from '#launcher/contract/calls/model-call.ts'
import { writeRequest } from '#launcher/contract/calls/write-request.ts'

/** Where calls are forwarded to, and with which credentials. */
export interface GatewayTarget {
  readonly origin: string
  /** Path of the gateway, without a trailing slash. */
  readonly prefix: string
  readonly namespace: string
  readonly dispatcher: () => Promise<Dispatcher>
  readonly token: () => Promise<string | undefined>
  readonly timeouts?: GatewayTimeouts | undefined
  readonly log: Logger
}

/**
 * Forwards a call to the gateway and settles it once. Origin, path and credentials are the launcher's, and of the agent's headers only
 * those of `CallContext.headers` are sent, never in place of the launcher's (B7). Rejects with `Refusal`, `GatewayRefusal` or the reason of `signal`.
 */
export async function forwardCall(to: GatewayTarget, call: AdmittedCall, signal: AbortSignal): Promise<CallResult> {
  const { request, charge } = call
  const state: { answer?: CallResponse; sent: boolean } = { sent: false }
  try {
    const [headers, dispatcher] = await Promise.all([headersOf(to, call), to.dispatcher()])
    const body = writeRequest(request, charge.hold?.maxOutputTokens ?? null)
    signal.throwIfAborted()
    state.sent = true
    await exchange(dispatcher, {
      origin: to.origin,
      path: `${to.prefix}/v1/${request.operation}`,
      method: 'POST',
      headers,
      body,
      signal,
      ...(to.timeouts ?? defaultTimeouts),
      onHead: (status, given) => {
        state.answer = openResponse(call, status, given)
      },
      onData: (chunk) => state.answer?.data(chunk),
    })
    if (state.answer === undefined) throw new Error('no response')
    return await state.answer.end()
  } catch (error) {
    // A rule aborts it, too: it ends the call in the same way as a client that disconnects.
    const outcome = signal.aborted || error instanceof Refusal ? 'aborted' : 'failed'
    if (!state.sent || neverConnected(error)) await charge.release()
    else await charge.settle(state.answer?.cut(outcome) ?? uncounted(outcome))
    throw toCallError(to, error, signal)
  }
}

function toCallError({ log }: GatewayTarget, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof Refusal || error instanceof GatewayRefusal) return error
  log.warn({ err: codeOf(error) }, 'model gateway not reached')
  return isTimeout(error)
    ? new Refusal('gateway_timeout')
    : new Refusal('gateway_unavailable', undefined, { 'retry-after': '1' })
}

// No byte of the request was sent.
function neverConnected(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : typeof error)
}

async function headersOf(
  { token, namespace }: GatewayTarget,
  call: AdmittedCall,
): Promise<Record<string, string | string[]>> {
  const { request, context, charge, proof } = call
  const bearer = await token()
  return {
    ...context.headers,
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
    traceparent: context.traceparent,
    'x-mesh-namespace': namespace,
    ...(context.runId === undefined ? {} : { 'x-mesh-run-id': context.runId }),
    ...(context.conversationId === undefined ? {} : { 'x-conversation-id': context.conversationId }),
    ...(charge.hold === undefined ? {} : { 'x-mesh-hold': charge.hold.id }),
    ...(proof === undefined ? {} : { 'x-mesh-guarded': proof }),
    ...(context.betas === undefined ? {} : { 'anthropic-beta': context.betas }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  }
}
