import type { ErrorDefinition } from '#core/errors/define-errors.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { Operation } from './adapter.ts'

/** A model call as a filter sees it before the content: references only. The caller is authorized for the model. */
export interface FilteredCall {
  readonly operation: Operation
  readonly model: { readonly kind: 'route' | 'agent'; readonly namespace: string; readonly name: string }
  readonly caller: { readonly kind: 'person' | 'pod'; readonly username: string }
  /** The agent whose pod calls; undefined for a person. */
  readonly agent: { readonly namespace: string; readonly name: string; readonly uid: string } | undefined
  /** The run named by the pod, if it belongs to its agent. */
  readonly runId: string | undefined
  readonly conversationId: string | undefined
  readonly traceparent: string
  /** Whether the client requested a stream. */
  readonly streamed: boolean
  /** Header of the request, by its name in lowercase. One that is given twice refuses the call. */
  header(name: string): string | undefined
}

/** What a rule of a filter has decided, for the record of the call: names and a number, never content. */
export interface FilterDecision {
  /** `namespace/name` of the object that has the rule. */
  readonly policy: string
  readonly rule: string
  /** Kind of the rule. */
  readonly check: string
  readonly stage: string
  readonly action: string
  /** Number of matches. */
  readonly count: number
}

/** Services for one filter in one call. */
export interface FilterContext {
  /** The cluster with the gateway's identity; rights are declared in `access` of the plugin. */
  readonly gateway: GatewayContext
  /** Aborted when the client disconnects, when the filter exceeds its timeout, and when the call ends. */
  readonly signal: AbortSignal
  /** Adds decisions to the record of the call, `providers.model-call-metered`. */
  decided(decisions: readonly FilterDecision[]): void
}

/** Ends the call with 403 and the code. `message` is for the caller only; it is neither logged nor recorded. */
export interface FilterRefusal {
  /** Declared by the plugin with `defineErrors`, status 403. */
  readonly refuse: ErrorDefinition
  readonly message?: string
  /** What refused the call, for programs: `param` of the error. */
  readonly param?: string
}

/** Decision of a filter: undefined passes the value unchanged. */
export type Verdict<T> = undefined | { readonly change: T } | FilterRefusal

/** Decision about a request. `changeSource` replaces the request as its provider gets it. */
export type RequestVerdict =
  | Verdict<Readonly<Record<string, unknown>>>
  | { readonly changeSource: Readonly<Record<string, unknown>> }

/** A decision, immediately or later. Each one has the filter's timeout. */
export type EventualVerdict<T> = Verdict<T> | Promise<Verdict<T>>

/** A text of a request, and the JSON pointer of its place: `/messages/0/content`. */
export interface RequestText {
  /** Of a text within the arguments of a tool call, the pointer continues in them. */
  readonly pointer: string
  /** Role of the message; undefined outside messages. */
  readonly role: string | undefined
  readonly text: string
  /** Whether it is the name of the field at the pointer. */
  readonly isName?: boolean
}

/** The request of a model call in the form of OpenAI's API. It must not be modified; `mapTexts` returns a changed copy. */
export interface ModelRequest {
  readonly body: Readonly<Record<string, unknown>>
  /** The request as its provider gets it: of Anthropic's Messages API where the provider has that API, otherwise `body`. */
  readonly source: Readonly<Record<string, unknown>>
  /** Messages of a chat; empty for embeddings. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  /** Tools offered to the model; empty for embeddings. */
  readonly tools: readonly Readonly<Record<string, unknown>>[]
  /**
   * Every string of the body: of each field, names that are no words of the API, numbers below the first level, and the strings of arguments of
   * tool calls. Left out are `model`, roles, types and encoded media.
   */
  texts(): readonly RequestText[]
  /** A copy of the body with changed texts, for `change`. */
  mapTexts(change: (text: RequestText) => string): Readonly<Record<string, unknown>>
}

/** Text of a response that is not released yet. */
export interface TextWindow {
  /** Index of the choice in the response. */
  readonly choice: number
  /** `content`, `refusal`, or a field of a provider such as `reasoning_content`. */
  readonly field: string
  /** Offset of `text` in the whole text of the field. */
  readonly offset: number
  /** The end of what is released already, at most `lookBack` characters. It can no longer change. */
  readonly before: string
  /** The held part of the previous window, then new text; of a response without stream all of its text. */
  readonly text: string
  /** Whether all of the text is released now: it ends here, or another field comes between. */
  readonly last: boolean
}

/** Replaces the characters from `start` to before `end` of a window's text. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What a filter does with the text of a response. */
export interface TextFilter {
  /**
   * Characters that are held back on streams, 0 to 65,536: the length of the longest match. Frames of up to 64 characters are released as a
   * whole. The window always begins with the text as
   * the filter received it, so replacements of held text are returned again.
   */
  readonly lookBack: number
  /** Characters that are held back now, where that is more: the beginning of a match that has gaps. Read after each `check`. */
  held?(place: Pick<TextWindow, 'choice' | 'field'>): number
  /** Number of new characters before the next call, 1 (default) to 65,536. They are held back too. */
  readonly step?: number
  /** Replacements are in order and do not overlap. */
  check(window: TextWindow): EventualVerdict<readonly Replacement[]>
}

/** A complete tool call of a response. */
export interface ToolCall {
  readonly choice: number
  readonly id: string | undefined
  readonly name: string
  /** JSON text as the model wrote it; it need not be valid. The input of a custom tool is any text. */
  readonly arguments: string
  /** Whether it calls a custom tool. */
  readonly isCustom?: boolean
}

/** What a filter does in one call. It may keep state between the hooks. */
export interface CallFilter {
  /** Sees the request before any provider. A change keeps `model`, `stream`, `stream_options` and `n`. */
  request?(request: ModelRequest): RequestVerdict | Promise<RequestVerdict>
  /** Sees each text of the response. */
  readonly text?: TextFilter
  /** Sees each tool call of the response when it is complete. The client receives it afterwards. */
  toolCall?(call: ToolCall): EventualVerdict<Pick<ToolCall, 'name' | 'arguments'>>
}

/** A filter of the gateway's model calls: it passes, changes or refuses. Third parties get the point as `providers.filter`. */
export interface ModelFilter {
  /** Begins with the plugin's name: `acme.secrets`. Names the filter in metrics, logs, events and the order. */
  readonly name: string
  /** Filters that see the request later. Answers pass the filters in reverse order. */
  readonly before?: readonly string[]
  /** Filters that see the request earlier. */
  readonly after?: readonly string[]
  /** After an error or a timeout: `refuse` (default) ends the call, `pass` continues it without this filter. */
  readonly onFailure?: 'refuse' | 'pass'
  /** Timeout of one decision in milliseconds, 1 to 60,000; default 5,000. */
  readonly timeoutMs?: number
  /** Returns the filter's part in this call, or undefined if it does not apply. Called for every model call, so it should be cheap. */
  open(call: FilteredCall, context: FilterContext): CallFilter | undefined | Promise<CallFilter | undefined>
}
