import type { ResponseHeaders } from '#core/http-client/request.ts'
import { fromErrorParam } from '#core/guardrails/messages.ts'
import { modelInHeader, targetInHeaders } from '#core/model-apis/target-header.ts'
import type { ResponseApi } from '#core/model-apis/usage/event-reader.ts'
import { readDocumentUsage } from '#core/model-apis/usage/response-meter.ts'
import { createStreamMeter } from '#core/model-apis/usage/stream-meter.ts'
import { moneyComment, moneyHeaders } from './money-headers.ts'
import { toGatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import type { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import type { ResponseFilter } from '#launcher/contract/calls/model-filter.ts'
import { noUsage } from '#launcher/contract/runs/usage.ts'
import type { Charge, Settlement } from '#launcher/contract/calls/payment.ts'
import type { ModelResponseSink, CallContext, CallResult } from '#launcher/contract/calls/model-call.ts'
import type { ModelRequest } from '#launcher/contract/calls/model-request.ts'

/** A response of the gateway on its way to the caller. */
export interface CallResponse {
  data(chunk: Buffer): void | Promise<void>
  /** Settles a complete response and writes its end. */
  end(): Promise<CallResult>
  /** Settlement of an incomplete response. */
  cut(outcome: 'failed' | 'aborted'): Settlement
}

/** One admitted call. */
export interface AdmittedCall {
  readonly request: ModelRequest
  readonly context: CallContext
  readonly sink: ModelResponseSink
  readonly charge: Charge
  /** Rules on the response; undefined: none. */
  readonly filter?: ResponseFilter | undefined
  /** Proves to the gateway that the rules are applied here. */
  readonly proof?: string | undefined
}

type Headers = Readonly<Record<string, string>>

const maxAnswerBytes = 32 * 1024 * 1024
const maxErrorBytes = 64 * 1024
const relayed = [
  'retry-after',
  'x-mesh-provider',
  'x-mesh-route',
  'x-mesh-target',
  'x-mesh-attempts',
  'x-should-retry',
] as const

/** Begins a response with its head. Only those headers of the gateway that concern the caller are relayed. */
export function openResponse(call: AdmittedCall, status: number, given: ResponseHeaders): CallResponse {
  const headers: Record<string, string> = {}
  for (const name of relayed) {
    const value = given[name]
    if (typeof value === 'string') headers[name] = value
  }
  // The gateway holds money for the agents above.
  if (given['x-mesh-on-exceed'] === 'pause') headers['x-mesh-on-exceed'] = 'pause'
  const { runId } = call.context
  if (runId !== undefined) headers['x-mesh-run-id'] = runId
  if (status !== 200) return errorAnswer(call, status, headers)
  const type = String(given['content-type'] ?? '')
  return type.startsWith('text/event-stream') ? streamedAnswer(call, headers) : wholeAnswer(call, headers)
}

/** Settlement with unknown usage: the whole hold is charged. */
export function uncounted(outcome: Settlement['outcome'], headers: Headers = {}): Settlement {
  const model = modelInHeader(headers['x-mesh-target'])
  const provider = headers['x-mesh-provider'] ?? null
  return { usage: null, provider, ...(model === undefined ? {} : { model }), estimated: false, outcome }
}

// Providers do not charge for an error. After a timeout the provider may have processed the call, and a response that a rule stopped is charged.
function errorAnswer({ charge }: AdmittedCall, status: number, headers: Headers): CallResponse {
  const body = collectBytes(maxErrorBytes)
  return {
    data(chunk) {
      body.add(chunk)
    },
    async end() {
      const refusal = toGatewayRefusal(status, headers, body.take())
      const isUnknown = status === 504 || stopsAnswer(refusal)
      await charge.settle({ ...uncounted('failed', headers), usage: isUnknown ? null : noUsage })
      throw refusal
    },
    cut: (outcome) => uncounted(outcome, headers),
  }
}

function stopsAnswer({ code, param }: GatewayRefusal): boolean {
  const stopped = code?.startsWith('guardrail_') === true ? fromErrorParam(param, 'block') : undefined
  return stopped !== undefined && stopped.stage !== 'request'
}

function wholeAnswer({ request, charge, sink, context, filter }: AdmittedCall, headers: Headers): CallResponse {
  const body = collectBytes(maxAnswerBytes)
  return {
    data(chunk) {
      if (!body.add(chunk)) throw new Error(`response above ${maxAnswerBytes} bytes`)
    },
    async end() {
      const given = body.take()
      const { usage, model } = readDocumentUsage(apiOf(request), given)
      const settled = await charge.settle({ ...uncounted('succeeded', headers), usage: usage ?? null })
      // A blocked response is charged: the provider has generated it.
      const bytes = filter === undefined ? given : await filter.whole(given)
      const result = { usage, model, cost: settled?.cost, ...targetInHeaders(headers) }
      context.onResult?.(result)
      sink.head(200, { ...headers, ...jsonHeaders(bytes), ...moneyHeaders(charge, settled) })
      await sink.data(bytes)
      return result
    },
    // The provider may have generated the whole response.
    cut: (outcome) => uncounted(outcome, headers),
  }
}

function streamedAnswer({ charge, sink, context, request, filter }: AdmittedCall, headers: Headers): CallResponse {
  const api = apiOf(request)
  const hidesUsage = api === 'chat' && !request.usageWanted
  const meter = createStreamMeter({ api, relays: 'events', hidesUsage, holdsLast: true })
  let tail = Promise.resolve()
  sink.head(200, { ...headers, 'content-type': 'text/event-stream', ...moneyHeaders(charge) })
  return {
    data(chunk) {
      const frames = meter.pass(chunk)
      if (frames.length === 0) return undefined
      if (filter === undefined) return sink.data(frames)
      // Sequentially: undici may deliver data that it has read before it pauses.
      tail = tail.then(async () => sink.data(await filter.frames(frames)))
      tail.catch(() => undefined)
      return tail
    },
    async end() {
      await tail
      const rest = meter.end()
      const last = filter === undefined ? rest : Buffer.concat([await filter.frames(rest), await filter.end()])
      const usage = meter.usage()
      const outcome = meter.failed() ? 'failed' : 'succeeded'
      const settled = await charge.settle({ ...uncounted(outcome, headers), usage: usage ?? null })
      const result = { usage, model: meter.model(), cost: settled?.cost, ...targetInHeaders(headers) }
      context.onResult?.(result)
      await sink.data(Buffer.concat([last, moneyComment(charge, settled), meter.last()]))
      return result
    },
    cut(outcome) {
      meter.end()
      const usage = meter.usage()
      const settlement = uncounted(outcome, headers)
      if (usage !== undefined || outcome !== 'aborted') return { ...settlement, usage: usage ?? null }
      const counts = { inputTokens: request.inputTokens, outputTokens: meter.seenTokens() }
      return { ...settlement, usage: { ...noUsage, ...counts }, estimated: true }
    },
  }
}

function jsonHeaders({ length }: Buffer): Headers {
  return { 'content-type': 'application/json', 'content-length': String(length) }
}

function apiOf({ operation }: ModelRequest): ResponseApi {
  return operation === 'messages' ? 'messages' : 'chat'
}

function collectBytes(most: number) {
  const chunks: Buffer[] = []
  let size = 0
  return {
    /** Adds a chunk; false above the limit. */
    add(chunk: Buffer): boolean {
      size += chunk.length
      if (size <= most) chunks.push(Buffer.from(chunk))
      return size <= most
    },
    take: (): Buffer => Buffer.concat(chunks),
  }
}
