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
  /** Who pays for a call of a role of the platform; undefined for other calls. Rules of the payer apply to the texts of such a call. */
  readonly payer?:
    | { readonly namespace: string; readonly agent: { readonly name: string; readonly uid: string } | undefined }
    | undefined
  /** The run named by the pod, if it belongs to its agent. */
  readonly runId: string | undefined
  readonly conversationId: string | undefined
  readonly traceparent: string
  /** Whether the client requested a stream. */
  readonly streamed: boolean
  /** Header of the request, by its name in lowercase. Throws a refusal if the header was sent twice. */
  header(name: string): string | undefined
}

/** Decision of a filter's rule, for the record of the call: names and a number, never content. */
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
  /** Machine-readable cause of the refusal: `param` of the error. */
  readonly param?: string
}

/** Decision of a filter: undefined passes the value unchanged. */
export type Verdict<T> = undefined | { readonly change: T } | FilterRefusal

/** Decision about a request. `changeSource` replaces the request that the provider receives. */
export type RequestVerdict =
  | Verdict<Readonly<Record<string, unknown>>>
  | { readonly changeSource: Readonly<Record<string, unknown>> }

/** A decision, immediately or later. Each one has the filter's timeout. */
export type EventualVerdict<T> = Verdict<T> | Promise<Verdict<T>>

/** A string of a request, and its JSON pointer: `/messages/0/content`. */
export interface RequestText {
  /** For a string within the arguments of a tool call, the pointer continues into the parsed arguments. */
  readonly pointer: string
  /** Role of the message; undefined outside messages. */
  readonly role: string | undefined
  readonly text: string
  /** Whether the string is the name of the field at the pointer. */
  readonly isName?: boolean
}

/** The request of a model call in the format of OpenAI's API. It must not be modified; `mapTexts` returns a changed copy. */
export interface ModelRequest {
  readonly body: Readonly<Record<string, unknown>>
  /** The request that the provider receives: in the format of Anthropic's Messages API if the provider has that API, otherwise `body`. */
  readonly source: Readonly<Record<string, unknown>>
  /** Messages of a chat; empty for embeddings. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  /** Tools offered to the model; empty for embeddings. */
  readonly tools: readonly Readonly<Record<string, unknown>>[]
  /**
   * Every string of the body: of each field, field names that the API does not define, numbers below the first level, and the strings of arguments of
   * tool calls. Left out are `model`, roles, types and encoded media.
   */
  texts(): readonly RequestText[]
  /** Returns a copy of the body with changed strings, for `change`. */
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
  /** The end of the text released so far, at most `lookBack` characters. It can no longer change. */
  readonly before: string
  /** The held part of the previous window, then new text; without streaming, all text of the field. */
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

/** Hooks of a filter for the text of a response. */
export interface TextFilter {
  /**
   * Characters that are held back on streams, 0 to 65,536: the length of the longest match. Frames of up to 64 characters are released as a
   * whole. The window always begins with the text as
   * the filter received it, so replacements of held text are returned again.
   */
  readonly lookBack: number
  /** Characters to hold back now, if more than `lookBack`: the beginning of a match that may have gaps. Read after each `check`. */
  held?(place: Pick<TextWindow, 'choice' | 'field'>): number
  /** Number of new characters before the next call, 1 (default) to 65,536. These characters are held back, too. */
  readonly step?: number
  /** Replacements are in order and do not overlap. */
  check(window: TextWindow): EventualVerdict<readonly Replacement[]>
}

/** A complete tool call of a response. */
export interface ToolCall {
  readonly choice: number
  readonly id: string | undefined
  readonly name: string
  /** JSON string as the model wrote it; it may be invalid. The input of a custom tool is any string. */
  readonly arguments: string
  /** Whether the call is for a custom tool. */
  readonly isCustom?: boolean
}

/** Hooks of a filter for one call. They may share state. */
export interface CallFilter {
  /** Sees the request before any provider. A change keeps `model`, `stream`, `stream_options` and `n`. */
  request?(request: ModelRequest): RequestVerdict | Promise<RequestVerdict>
  /** Sees each text of the response. */
  readonly text?: TextFilter
  /** Sees each tool call of the response when it is complete. The client receives it afterwards. */
  toolCall?(call: ToolCall): EventualVerdict<Pick<ToolCall, 'name' | 'arguments'>>
}

/** A filter of the gateway's model calls: it passes, changes or refuses them. Third-party plugins use the point as `providers.filter`. */
export interface ModelFilter {
  /** Begins with the plugin's name: `acme.secrets`. Identifies the filter in metrics, logs, events and the order. */
  readonly name: string
  /** Filters that see the request later. Responses pass the filters in reverse order. */
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
