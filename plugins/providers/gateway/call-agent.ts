import { isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { AgentOutcome, AgentRuns } from '../contract/agent-model.ts'
import { withFilters } from '../filters/create-filters.ts'
import type { Filters } from '../filters/create-filters.ts'
import { filterResponse } from '../filters/response/filter-response.ts'
import type { FilteredResponse } from '../filters/response/filter-response.ts'
import type { CallFilters } from '../filters/call-filters.ts'
import { completion, deltaFrame, doneFrame, usageFrame, wireUsage } from '../openai/completion.ts'
import type { CompletionHead } from '../openai/completion.ts'
import { textOf } from '../mock/mock-response.ts'
import { createClientResponse } from './response/client-response.ts'
import type { ClientResponse } from './response/client-response.ts'
import type { GatewayCall } from './request/gateway-call.ts'
import { wantsUsage } from './request/model-request.ts'
import type { Body } from './request/model-request.ts'
import { callErrorOf } from './errors/gateway-error.ts'
import type { ModelName } from './request/model-name.ts'
import { textOfOutcome } from './response/run-outcome.ts'

/** A chat with an agent. */
export interface AgentChat {
  readonly runs: AgentRuns | undefined
  readonly agent: ModelName
  readonly body: Body
  readonly timeoutMs: number
  readonly now: () => Date
  /** Filters of this process; undefined without any. */
  readonly filters: Filters | undefined
  /** Maximum number of characters that filters hold back. */
  readonly filterLimit: number
}

/**
 * `model: agent/<namespace>/<name>`: one run of the agent on behalf of the caller, with the last user message as input. Earlier turns are read from
 * the conversation in `X-Conversation-Id`, not from the messages. Throws before the first byte only.
 */
export async function callAgent(call: GatewayCall, chat: AgentChat): Promise<void> {
  const { runs, agent } = chat
  if (call.principal.kind !== 'person')
    throw new Fail('forbidden', 'A pod calls other agents through its launcher (POST /delegate).')
  if (runs === undefined) throw new Fail('not_wired')
  const { caller } = call.principal
  const { filters, body } = chat
  // Reviewed again for the run. Filters only see requests of callers that may use the agent.
  if (filters !== undefined) await caller.review('create', 'agentdeployments/invoke', agent)
  const target = {
    operation: 'chat/completions',
    model: agent,
    uid: undefined,
    streamed: body.stream === true,
  } as const
  await withFilters(filters, { call, target, body }, (filtered, applying) =>
    chatWithRun(call, { ...chat, body: filtered, runs, caller, applying }),
  )
}

interface FilteredChat extends AgentChat {
  readonly runs: AgentRuns
  readonly caller: Caller
  readonly applying: CallFilters | undefined
}

async function chatWithRun(call: GatewayCall, chat: FilteredChat): Promise<void> {
  const { runs, agent, caller } = chat
  const stopped = new AbortController()
  const { answer, failure } = openAnswer(call, chat, (error) => stopped.abort(error))
  const head = { id: `chatcmpl-${uuidV7()}`, created: Math.floor(chat.now().getTime() / 1000), model: modelOf(agent) }
  const writer =
    chat.body.stream === true ? streamWriter(answer, head, wantsUsage(chat.body)) : wholeWriter(answer, head)
  try {
    const outcome = await runs.invokeForGateway({
      caller,
      agent: { namespace: agent.namespace, name: agent.name },
      input: lastUserText(chat.body),
      ...(call.conversationId === undefined ? {} : { conversationId: call.conversationId }),
      traceparent: call.traceparent,
      timeoutMs: chat.timeoutMs,
      signal: AbortSignal.any([call.signal, stopped.signal]),
      onText: writer.text,
    })
    if (chat.body.stream !== true) call.response.setHeader('x-mesh-run-id', outcome.runId)
    writer.finish(outcome, textOfOutcome(outcome))
    await answer.end()
  } catch (thrown) {
    const error = failure() ?? thrown
    if (answer.committed()) return answer.breakOff(error)
    // SDKs retry 409 and 5xx, and each retry would be another run. A 429 precedes the run.
    if (callErrorOf(error).status !== 429) call.response.setHeader('x-should-retry', 'false')
    throw error
  }
}

type Answer = ClientResponse | FilteredResponse

/** The client's response, behind the filters that apply to the call. */
function openAnswer(
  call: GatewayCall,
  { applying: filters, filterLimit: limit }: FilteredChat,
  onFailure: (error: unknown) => void,
): { readonly answer: Answer; readonly failure: () => unknown } {
  const client = createClientResponse(call)
  if (filters?.seesAnswers !== true) return { answer: client, failure: () => undefined }
  const answer = filterResponse(client, { filters, limit, onFailure })
  return { answer, failure: answer.failure }
}

interface Writer {
  text(text: string): void
  finish(outcome: AgentOutcome, text: string): void
}

function wholeWriter(answer: Answer, head: CompletionHead): Writer {
  return {
    text: () => undefined,
    finish({ usage }, text) {
      const body = completion(head, { content: text }, 'stop', wireUsage(usage.inputTokens, usage.outputTokens))
      answer.head(200, 'application/json', undefined)
      write(answer, Buffer.from(`${JSON.stringify(body)}\n`))
    },
  }
}

function streamWriter(answer: Answer, head: CompletionHead, usageWanted: boolean): Writer {
  let shown = ''
  let open = false
  const text = (added: string): void => {
    if (!open) {
      open = true
      answer.head(200, 'text/event-stream', undefined)
      write(answer, deltaFrame(head, { role: 'assistant', content: '' }))
    }
    shown += added
    if (added !== '') write(answer, deltaFrame(head, { content: added }))
  }
  return {
    text,
    finish({ usage }, whole) {
      // The output may differ from the streamed text. Only a remainder of it can still be sent.
      text(whole.startsWith(shown) ? whole.slice(shown.length) : '')
      write(answer, deltaFrame(head, {}, 'stop'))
      if (usageWanted) write(answer, usageFrame(head, wireUsage(usage.inputTokens, usage.outputTokens)))
      write(answer, doneFrame)
    },
  }
}

// The text of a run is bounded, so it does not wait for a slow client. Errors of filters are kept by the response.
function write(answer: Answer, bytes: Buffer): void {
  // oxlint-disable-next-line typescript/no-floating-promises -- never unhandled
  void answer.data(bytes)
}

function lastUserText(body: Body): string {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : []
  const last = messages.findLast(({ role }) => role === 'user')
  if (last !== undefined) return textOf(last.content)
  throw new Fail('invalid_body', undefined, {
    errors: [{ pointer: '/messages', detail: 'must contain a user message' }],
  })
}

function modelOf({ namespace, name }: ModelName): string {
  return `agent/${namespace}/${name}`
}
