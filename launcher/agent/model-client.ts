import { readFile } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { isObject } from '#core/json/is-object.ts'
import { exchange } from '#core/http-client/request.ts'
import type { ResponseHeaders } from '#core/http-client/request.ts'
import { targetInHeaders } from '#core/model-apis/target-header.ts'
import type { RespondingTarget } from '#core/model-apis/target-header.ts'
import type { FailReason } from '#schemas/runs/run.ts'
import { toStorable, toStorableValue } from '#schemas/values/storable-text.ts'
import { parseBoundedJson } from '../contract/http/bounded-json.ts'
import { Refusal, refusals } from '../contract/http/refusal.ts'
import { GatewayRefusal } from '../contract/calls/gateway-refusal.ts'
import type { OnFindings, ModelCalls } from '../contract/calls/model-call.ts'
import { defaultTimeouts } from '../contract/calls/gateway-timeouts.ts'
import type { GatewayTimeouts } from '../contract/calls/gateway-timeouts.ts'
import type { Approvals } from '../contract/runs/approvals.ts'
import { toModelRequest } from '../contract/calls/model-request.ts'
import type { ModelBody } from '../contract/calls/model-request.ts'
import type { ChatMessage, ToolDefinition } from '../contract/loop/chat-messages.ts'
import { BudgetHold, ModelError, errorText, readStream, readWhole } from './model-response.ts'
import type { ModelResponseReader, GatewayResponse, ModelResponse } from './model-response.ts'

/** Maximum size of the response to a model call; its text and tool calls are in memory until it ends (F6). */
const maxAnswerBytes = 16 * 1024 * 1024

const maxCode = 128

/** Maximum length of a namespace, a slash and a name. */
const maxProvider = 317

/** Options of the model client: gateway and credentials. */
export interface ModelClientOptions {
  readonly gatewayUrl: string
  /** Service account token with the gateway's audience; read for each call, since the kubelet rotates it. */
  readonly tokenFile: string | undefined
  readonly namespace: string
  readonly requestFields: Readonly<Record<string, unknown>>
  readonly dispatcher: () => Promise<Dispatcher>
  readonly timeouts?: GatewayTimeouts | undefined
  /** Model calls within a budget; undefined: the gateway is called directly. */
  readonly modelCalls?: ModelCalls | undefined
}

/** One model call. */
export interface ModelCall {
  readonly route: string
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly runId: string
  readonly traceparent: string
  /** Parent of the span of the call. */
  readonly parentSpanId: string
  readonly signal: AbortSignal
  readonly onText: (text: string) => void
  readonly approvals: Approvals | undefined
  readonly onFindings: OnFindings
}

/** Calls the gateway's chat completions with streaming. Rejects with `ModelError`, or when the signal aborts. */
export type ModelClient = (call: ModelCall) => Promise<ModelResponse>

/** Creates a model client. */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const url = new URL(`${options.gatewayUrl}/v1/chat/completions`)
  return async (call) => {
    const body = toRequest(options, call)
    if (options.modelCalls !== undefined) return callWithin(options.modelCalls, options.namespace, { call, body })
    const headers = await toHeaders(options, call)
    const received = receive(call.onText)
    try {
      await exchange(await options.dispatcher(), {
        origin: url.origin,
        path: url.pathname,
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: call.signal,
        ...(options.timeouts ?? defaultTimeouts),
        onHead: received.head,
        onData: received.data,
      })
    } catch (error) {
      if (error instanceof ModelError || call.signal.aborted) throw error
      throw new ModelError(`the model gateway could not be reached: ${codeOf(error)}`, 'model_error', true)
    }
    return received.end()
  }
}

// Makes the call in the way that port 2996 makes it for an agent's process.
async function callWithin(
  modelCalls: ModelCalls,
  namespace: string,
  { call, body }: { readonly call: ModelCall; readonly body: ModelBody },
): Promise<ModelResponse> {
  const { runId, traceparent, parentSpanId, signal } = call
  const received = receive(call.onText)
  try {
    const request = toModelRequest('chat/completions', { body, bytes: Buffer.from(JSON.stringify(body)) }, namespace)
    const { approvals, onFindings } = call
    const context = { runId, traceparent, parentSpanId, conversationId: undefined, signal, approvals, onFindings }
    const { cost } = await modelCalls.call(request, context, received)
    return { ...received.end(), ...(cost === undefined ? {} : { cost }) }
  } catch (error) {
    if (error instanceof ModelError || signal.aborted) throw error
    throw toModelError(error)
  }
}

function toModelError(error: unknown): ModelError {
  if (error instanceof GatewayRefusal) {
    const { status, code, message, headers } = error
    return gatewayError({ status, ...toProvider(headers['x-mesh-provider']) }, { code, message, ...toPause(headers) })
  }
  if (!(error instanceof Refusal)) return new ModelError(error instanceof Error ? error.message : String(error))
  const { code, message } = error
  const { status } = refusals[code]
  const reason = reasonOfCode[code] ?? 'model_error'
  if (error.headers['x-mesh-on-exceed'] === 'pause') return new BudgetHold(message, reason, false, { status, code })
  return new ModelError(message, reason, isRetryable(status), { status, code })
}

function toRequest({ requestFields }: ModelClientOptions, { route, messages, tools }: ModelCall): ModelBody {
  const functions = tools.map((tool) => ({ type: 'function', function: tool }))
  return {
    ...requestFields,
    model: route,
    // Tool results and decoded arguments may contain characters that the gateway refuses (F5).
    messages: toStorableValue(messages),
    ...(functions.length === 0 ? {} : { tools: functions }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

async function toHeaders(options: ModelClientOptions, call: ModelCall): Promise<Record<string, string>> {
  const token = options.tokenFile === undefined ? undefined : (await readFile(options.tokenFile, 'utf8')).trim()
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    traceparent: call.traceparent,
    'x-mesh-run-id': call.runId,
    'x-mesh-namespace': options.namespace,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

// Passes text to `onText` as it arrives; reads the body of an error status for its message.
function receive(onText: (text: string) => void) {
  let status = 0
  let provider: Pick<GatewayResponse, 'provider'> = {}
  let pause = toPause({})
  let answered: RespondingTarget = {}
  let size = 0
  let reader: ModelResponseReader = readWhole(onText)
  const errorBody: Buffer[] = []
  return {
    head(code: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
      status = code
      provider = toProvider(headers['x-mesh-provider'])
      pause = toPause(headers)
      answered = targetInHeaders(headers)
      if (String(headers['content-type'] ?? '').startsWith('text/event-stream')) reader = readStream(onText)
    },
    data(chunk: Buffer): void {
      size += chunk.length
      if (size > maxAnswerBytes) throw new ModelError(`the model response exceeds ${maxAnswerBytes} bytes`)
      if (status === 200) reader.push(chunk)
      else if (errorBody.length < 64) errorBody.push(Buffer.from(chunk))
    },
    end(): ModelResponse {
      if (status === 200) return { ...reader.end(), ...answered }
      throw readModelError({ status, ...provider }, pause, Buffer.concat(errorBody).toString('utf8'))
    },
  }
}

const reasonOfCode: Readonly<Record<string, FailReason>> = {
  budget_exceeded: 'budget_exceeded',
  guardrail_blocked: 'guardrail_blocked',
}

function readModelError(head: ErrorHead, pause: Pick<GivenError, 'pauses'>, text: string): ModelError {
  const body = parseLoosely(text)
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const message = isObject(body) ? errorText(body) : 'no reason given'
  return gatewayError(head, { code: error.code, message, ...pause })
}

type ErrorHead = GatewayResponse & { readonly status: number }

interface GivenError {
  readonly code: unknown
  readonly message: string
  /** A budget is used up, and its agent then pauses runs. */
  readonly pauses: boolean
}

function toPause(headers: ResponseHeaders): Pick<GivenError, 'pauses'> {
  return { pauses: headers['x-mesh-on-exceed'] === 'pause' }
}

function gatewayError(head: ErrorHead, { code: given, message, pauses }: GivenError): ModelError {
  const { status } = head
  const code = typeof given === 'string' ? { code: toStorable(given.slice(0, maxCode)) } : {}
  const reason = code.code === undefined ? undefined : reasonOfCode[code.code]
  const why = `the model gateway responded with ${status}: ${toStorable(message.slice(0, 500))}`
  const answered = { ...head, ...code }
  if (pauses && reason === 'budget_exceeded') return new BudgetHold(why, reason, false, answered)
  return new ModelError(why, reason ?? 'model_error', isRetryable(status), answered)
}

function isRetryable(status: number): boolean {
  return status === 429 || status === 408 || status >= 500
}

function toProvider(header: string | readonly string[] | undefined): Pick<GatewayResponse, 'provider'> {
  return typeof header === 'string' ? { provider: toStorable(header.slice(0, maxProvider)) } : {}
}

function parseLoosely(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error))
}
