import type { Operation } from '../contract/adapter.ts'
import { readModelRequest } from '../gateway/request/model-request.ts'
import type { Body } from '../gateway/request/model-request.ts'
import { isObject } from '#core/json/is-object.ts'
import { viewMessages } from '#plugins/providers/model-apis/messages-view.ts'
import type { MessagesView } from '#plugins/providers/model-apis/messages-view.ts'
import type { FilterSession } from './session/filter-session.ts'
import { TextStage } from './session/text-stage.ts'
import type { TextPlace } from './session/text-stage.ts'
import { createCallDecisions } from './session/call-decisions.ts'
import type { CallDecisions } from './session/call-decisions.ts'
import type { FilterDecision, ToolCall } from '../contract/model-filter.ts'
import { createRequestView } from './request-view.ts'

/** A request as the provider receives it. */
export interface FilteredRequest {
  readonly operation: Operation
  readonly body: Body
  /** Whether it is a request of Anthropic's Messages API, which filters also see as a chat completion. */
  readonly isMessages?: boolean
}

/** Fields that were decided before the filters: route, form of the response, metering. */
const fixed = ['model', 'stream', 'stream_options', 'n'] as const

/** The filters that apply to one call, in the order of requests. Responses pass them in reverse order. */
export class CallFilters {
  /** Whether a filter sees texts of the response. */
  readonly seesText: boolean
  /** Whether a filter sees tool calls of the response. */
  readonly seesCalls: boolean
  readonly #sessions: readonly FilterSession[]
  readonly #forAnswers: readonly FilterSession[]
  readonly #decisions: CallDecisions

  constructor(sessions: readonly FilterSession[], decisions: CallDecisions = createCallDecisions()) {
    this.#decisions = decisions
    this.#sessions = sessions
    this.#forAnswers = sessions.toReversed()
    this.seesText = sessions.some(({ hooks }) => hooks.text !== undefined)
    this.seesCalls = sessions.some(({ hooks }) => hooks.toolCall !== undefined)
  }

  get seesAnswers(): boolean {
    return this.seesText || this.seesCalls
  }

  /** Decisions of the filters' rules so far. */
  decisions(): readonly FilterDecision[] {
    return this.#decisions.list()
  }

  /** Returns the request after the filters were applied. Each filter sees the changes of earlier filters. Throws `FilterStop`. */
  async request({ operation, body: given, isMessages = false }: FilteredRequest): Promise<Body> {
    let source = given
    for (const session of this.#sessions) {
      const { hooks } = session
      if (hooks.request === undefined) continue
      const messages = isMessages ? viewMessages(source) : undefined
      const view = createRequestView(operation, messages?.body ?? source, source)
      const changed = await session.decide(
        'request',
        () => {
          const verdict = hooks.request?.(view)
          const toSource = (decided: unknown): unknown => toSourceChange(decided, messages)
          return verdict instanceof Promise ? verdict.then(toSource) : toSource(verdict)
        },
        (change) => checkChange(operation, given, change),
      )
      source = changed ?? source
    }
    return source
  }

  /** The filters of one text of the response. */
  textStages(place: TextPlace): readonly TextStage[] {
    return this.#forAnswers.flatMap((session) => {
      const { text } = session.hooks
      return text === undefined ? [] : [new TextStage(session, text, place)]
    })
  }

  /** Returns the tool call changed by the filters; undefined if it is unchanged. Throws `FilterStop`. */
  async toolCall(given: ToolCall): Promise<ToolCall | undefined> {
    let call = given
    for (const session of this.#forAnswers) {
      const { hooks } = session
      if (hooks.toolCall === undefined) continue
      const seen = call
      const changed = await session.decide('tool_call', () => hooks.toolCall?.(seen), checkCall)
      if (changed !== undefined) call = { ...call, ...changed }
    }
    return call === given ? undefined : call
  }

  /** Cancels work of the filters that is still in progress. */
  close(): void {
    for (const session of this.#sessions) session.close()
  }
}

// A filter changes either the request that it sees or the one that the provider receives.
function toSourceChange(verdict: unknown, messages: MessagesView | undefined): unknown {
  if (!isObject(verdict)) return verdict
  if ('changeSource' in verdict) return { change: verdict.changeSource }
  if (messages === undefined || !isObject(verdict.change)) return verdict
  return { change: messages.restore(verdict.change) }
}

function checkChange(operation: Operation, given: Body, change: unknown): Body {
  if (!isObject(change)) throw new TypeError('the changed request must be an object')
  for (const field of fixed)
    if (JSON.stringify(change[field]) !== JSON.stringify(given[field]))
      throw new TypeError(`a filter must not change ${field}`)
  return readModelRequest(operation, change)
}

function checkCall(change: unknown): Pick<ToolCall, 'name' | 'arguments'> {
  if (!isObject(change) || typeof change.name !== 'string' || typeof change.arguments !== 'string')
    throw new TypeError('the changed tool call must have name and arguments')
  return { name: change.name, arguments: change.arguments }
}
