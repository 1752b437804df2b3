import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Finding } from '#core/guardrails/guard.ts'
import { toDecided } from '#core/guardrails/messages.ts'
import { targetInHeaders } from '#core/model-apis/target-header.ts'
import { genAi, genAiOperations, modelCallAttributes, targetAttributes } from '#core/otlp/gen-ai.ts'
import type { ReadContent } from '#core/telemetry/span-content.ts'
import type { Span } from '#core/telemetry/tracer.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import { singleHeader } from '#launcher/contract/http/headers.ts'
import { streamed } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { ModelResponseSink, CallResult, ModelCalls } from '#launcher/contract/calls/model-call.ts'
import { readRequest } from '#launcher/contract/content/read-messages.ts'
import { tapResponse } from '#launcher/contract/content/response-tap.ts'
import type { ResponseTap } from '#launcher/contract/content/response-tap.ts'
import { invalid, isOfMessages, parseModelBody, toModelRequest } from '#launcher/contract/calls/model-request.ts'
import type { ModelBody, ModelRequest } from '#launcher/contract/calls/model-request.ts'
import { attribute } from '#launcher/contract/runs/attribution.ts'
import { noUsage } from '#launcher/contract/runs/usage.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { translateRequest } from './call-api.ts'
import type { CallApi } from './call-api.ts'
import { toCallError } from './call-error.ts'
import { readCallerHeaders } from './caller-headers.ts'
import { responseSink, writeError } from './response-sink.ts'
import { translatedSink } from './translated-sink.ts'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  body(): Promise<Buffer>
}

// The gateway refuses a truncated list.
const maxBetas = 2048

type Handler = (exchange: Exchange) => Promise<typeof streamed>

/** Creates the handlers of model calls. `admit` throws for a call that may not begin now. */
export function callHandler(
  pod: Pod & { readonly modelCalls: ModelCalls },
  admit: (runId: string | undefined) => void,
): (api: CallApi) => Handler {
  const { namespace } = pod.settings.agent
  return (api) => async (exchange) => {
    const { request, response } = exchange
    const conversationId = conversationOf(request)
    const { runId, parent } = attribute(request, pod.registry)
    admit(runId)
    const model = toModelRequest(api.operation, await readCall(exchange, api), namespace)
    const span = pod.tracer.start('model call', parent, {
      'mesh.model.route': model.route,
      [genAi.operation]: api.operation === 'embeddings' ? genAiOperations.embeddings : genAiOperations.chat,
      [genAi.requestModel]: model.route,
      ...(runId === undefined ? {} : { 'mesh.run.id': runId }),
    })
    const isCounted = model.operation !== 'messages/count_tokens'
    const tap = pod.settings.traces.capture === 'full' ? tapResponse(sinkOf(response, api), api.operation) : undefined
    const content = contentOf(model, tap)
    const reported = report(pod, { runId, span, route: model.route, parentSpanId: parent?.spanId, isCounted, content })
    const gone = new AbortController()
    const onClose = (): void => gone.abort(new Error('the caller closed the connection'))
    response.once('close', onClose)
    try {
      const context = {
        runId,
        traceparent: span.traceparent,
        parentSpanId: parent?.spanId,
        conversationId,
        betas: isOfMessages(api.operation) ? singleHeader(request, 'anthropic-beta')?.slice(0, maxBetas) : undefined,
        headers: readCallerHeaders(request),
        signal: gone.signal,
        approvals: pod.registry.approvalsOf(runId),
        onResult: reported.ok,
        onFindings: reported.found,
      }
      await pod.modelCalls.call(model, context, tap?.sink ?? sinkOf(response, api))
      response.end()
    } catch (error) {
      reported.failed(error)
      if (gone.signal.aborted) return streamed
      if (error instanceof Refusal && !response.headersSent) throw error
      if (toCallError(error).code === 'internal_error') pod.log.error({ err: String(error) }, 'model call failed')
      writeError(response, toCallError(error), api.errors)
    } finally {
      response.off('close', onClose)
    }
    return streamed
  }
}

async function readCall(
  { body }: Exchange,
  { translation }: CallApi,
): Promise<{ readonly body: ModelBody; readonly bytes: Buffer }> {
  const bytes = await body()
  const parsed = parseModelBody(bytes)
  return translation === undefined ? { body: parsed, bytes } : translateRequest(translation, parsed)
}

function sinkOf(response: ServerResponse, { translation, errors }: CallApi): ModelResponseSink {
  const sink = responseSink(response)
  return translation === undefined ? sink : translatedSink(sink, translation, errors)
}

function contentOf({ body }: Pick<ModelRequest, 'body'>, tap: ResponseTap | undefined): ReadContent {
  return async () => {
    const output = await tap?.messages()
    return { ...readRequest(body), ...(output === undefined ? {} : { output }) }
  }
}

interface Reported {
  readonly runId: string | undefined
  readonly span: Span
  readonly route: string
  readonly parentSpanId: string | undefined
  /** Whether the call counts towards the usage of its run. */
  readonly isCounted: boolean
  readonly content: ReadContent
}

// One span and one entry of the run's journal for each call, before its caller reads the end of the response.
function report(
  { registry }: Pick<Pod, 'registry'>,
  { runId, span, route, parentSpanId, isCounted, content }: Reported,
) {
  const startedAt = performance.now()
  let ended = false
  let decisions = 0
  const about = (): object => ({
    route,
    durationMs: Math.round(performance.now() - startedAt),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
  })
  return {
    found(findings: readonly Finding[]): void {
      decisions += findings.length
      for (const finding of findings) registry.emit(runId, 'guardrail.decided', { ...toDecided(finding) }, span.spanId)
    },
    ok({ usage = noUsage, model, cost, ...answered }: CallResult): void {
      ended = true
      if (!isCounted) return span.end('ok', { [genAi.decisions]: decisions })
      span.end(
        'ok',
        { ...modelCallAttributes({ model, usage, cost, ...answered }), [genAi.decisions]: decisions },
        content,
      )
      const found = { ...(model === undefined ? {} : { model }), ...(cost === undefined ? {} : { cost }) }
      registry.report(runId, usage, { ...about(), ...found }, span.spanId)
    },
    failed(error: unknown): void {
      if (ended) return
      const { code, message, status, headers } = toCallError(error)
      const attributes = { ...targetAttributes(targetInHeaders(headers)), [genAi.decisions]: decisions }
      span.end('error', { 'error.type': code ?? String(status), ...attributes }, content)
      if (!isCounted) return
      const provider = headers['x-mesh-provider']
      const failure = { code: code ?? 'model_error', message: message.slice(0, 1000), status }
      const described = provider === undefined ? failure : { ...failure, provider }
      registry.report(runId, noUsage, { ...about(), error: described }, span.spanId)
    },
  }
}

function conversationOf(request: IncomingMessage): string | undefined {
  const given = singleHeader(request, 'x-conversation-id')
  if (given === undefined || isConversationId(given)) return given
  throw invalid(`X-Conversation-Id: ${CONVERSATION_ID_DETAIL}`)
}
