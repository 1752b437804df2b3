import { isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { AgentOutcome, AgentRuns } from '../agent-model.ts'
import { completion, deltaFrame, doneFrame, usageFrame, wireUsage } from '../openai/completion.ts'
import type { CompletionHead } from '../openai/completion.ts'
import { textOf } from '../mock/mock-answer.ts'
import type { GatewayCall } from './gateway-call.ts'
import { wantsUsage } from './model-request.ts'
import type { Body } from './model-request.ts'
import { errorFrame, toOpenAiError } from './openai-error.ts'
import type { ModelName } from './model-name.ts'
import { textOfOutcome } from './run-outcome.ts'

/** A chat with an agent. */
export interface AgentChat {
  readonly runs: AgentRuns | undefined
  readonly agent: ModelName
  readonly body: Body
  readonly timeoutMs: number
  readonly now: () => Date
}

/**
 * `model: agent/<namespace>/<name>`: one run of the agent as the caller, with the last user message as input. Earlier turns are
 * read from the conversation in `X-Conversation-Id`, not from the messages. Throws before the first byte only.
 */
export async function callAgent(call: GatewayCall, chat: AgentChat): Promise<void> {
  const { runs, agent } = chat
  if (call.principal.kind !== 'person')
    throw new Fail('forbidden', 'A pod reaches other agents through its launcher (POST /delegate).')
  if (runs === undefined) throw new Fail('not_wired')
  const head = { id: `chatcmpl-${uuidV7()}`, created: Math.floor(chat.now().getTime() / 1000), model: modelOf(agent) }
  const writer = chat.body.stream === true ? streamWriter(call, head, wantsUsage(chat.body)) : wholeWriter(call, head)
  const { caller } = call.principal
  try {
    const outcome = await runs.invokeForGateway({
      caller,
      agent: { namespace: agent.namespace, name: agent.name },
      input: lastUserText(chat.body),
      ...(call.conversationId === undefined ? {} : { conversationId: call.conversationId }),
      traceparent: call.traceparent,
      timeoutMs: chat.timeoutMs,
      signal: call.signal,
      onText: writer.text,
    })
    writer.finish(outcome, textOfOutcome(outcome))
  } catch (error) {
    if (writer.committed()) return writer.fail(error)
    // SDKs retry 409 and 5xx, and each retry would be another run. A 429 precedes the run.
    if (toOpenAiError(error).status !== 429) call.response.setHeader('x-should-retry', 'false')
    throw error
  }
}

interface Writer {
  committed(): boolean
  text(text: string): void
  finish(outcome: AgentOutcome, text: string): void
  /** Ends a started stream with an error event. */
  fail(error: unknown): void
}

function wholeWriter(call: GatewayCall, head: CompletionHead): Writer {
  return {
    committed: () => false,
    text: () => undefined,
    finish({ runId, usage }, text) {
      const body = completion(head, { content: text }, 'stop', wireUsage(usage.inputTokens, usage.outputTokens))
      call.take()
      call.response.writeHead(200, { ...call.headers, 'content-type': 'application/json', 'x-mesh-run-id': runId })
      call.response.end(JSON.stringify(body))
    },
    fail: () => {
      call.response.destroy()
    },
  }
}

function streamWriter(call: GatewayCall, head: CompletionHead, usageWanted: boolean): Writer {
  let shown = ''
  let open = false
  const text = (added: string): void => {
    if (!open) {
      open = true
      call.take()
      call.response.writeHead(200, {
        ...call.headers,
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
      })
      call.response.write(deltaFrame(head, { role: 'assistant', content: '' }))
    }
    shown += added
    if (added !== '') call.response.write(deltaFrame(head, { content: added }))
  }
  return {
    committed: () => open,
    text,
    finish({ usage }, whole) {
      // The output may differ from the streamed text. Only a remainder of it can still be sent.
      text(whole.startsWith(shown) ? whole.slice(shown.length) : '')
      call.response.write(deltaFrame(head, {}, 'stop'))
      if (usageWanted) call.response.write(usageFrame(head, wireUsage(usage.inputTokens, usage.outputTokens)))
      call.response.end(doneFrame)
    },
    fail: (error) => {
      call.response.end(errorFrame(error))
    },
  }
}

function lastUserText(body: Body): string {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : []
  const last = messages.findLast(({ role }) => role === 'user')
  if (last !== undefined) return textOf(last.content)
  throw new Fail('invalid_body', undefined, { errors: [{ pointer: '/messages', detail: 'must hold a user message' }] })
}

function modelOf({ namespace, name }: ModelName): string {
  return `agent/${namespace}/${name}`
}
