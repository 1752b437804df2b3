import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'

/** Operation of the OpenAI API. */
export type Operation = 'chat/completions' | 'embeddings'

/** One call of a provider. The body is an OpenAI request whose `model` is the provider's own id. */
export interface ProviderCall {
  readonly operation: Operation
  readonly provider: ModelProviderSpec
  /**
   * Set for a request of Anthropic's Messages API, which is sent unchanged: whether the sink receives a message, a chat completion, or the number of
   * tokens of the input.
   */
  readonly messages?: { readonly answer: 'message' | 'chat' | 'tokens'; readonly betas: string | undefined } | undefined
  readonly body: Readonly<Record<string, unknown>>
  /** The caller's JSON document, if it has the form of the body: parts that are equal in both are sent byte for byte. */
  readonly document?: string | undefined
  /** Headers for the provider besides those of its spec: those of the caller that the route passes, and Via. */
  readonly headers?: Readonly<Record<string, string>>
  /** The provider's key, read per call with the gateway's identity; undefined if it needs none. */
  readonly key: string | undefined
  readonly traceparent: string
  readonly signal: AbortSignal
  /** Timeout for the response headers, in milliseconds. */
  readonly firstByteMs: number
}

/** Receives the response as it arrives: an OpenAI body, complete or as server-sent events. */
export interface ResponseSink {
  head(status: number, contentType: string, retryAfter: string | undefined): void
  /** A returned promise is back-pressure. */
  data(chunk: Buffer): void | Promise<void>
}

/** A model that a provider lists. */
export interface ListedModel {
  readonly id: string
  readonly ownedBy?: string
  /** Tokens of a request and its response. */
  readonly contextWindow?: number
  readonly created?: Date
}

/** One request for the models of a provider. */
export interface ModelListing {
  readonly provider: ModelProviderSpec
  readonly key: string | undefined
  /** Sends a GET below the provider's address with its headers, and returns the JSON. Throws `Fail` for any other response. */
  get(path: string, headers: Readonly<Record<string, string>>): Promise<unknown>
}

/** Client for providers of one type. Rejects if there is no response or it is incomplete. */
export interface ModelAdapter {
  readonly type: string
  /** Sends requests of Anthropic's Messages API unchanged. */
  readonly passesMessages?: boolean
  send(call: ProviderCall, sink: ResponseSink): Promise<void>
  /** Lists the models of a provider. Without it the API cannot list or validate providers of the type. */
  listModels?(listing: ModelListing): Promise<readonly ListedModel[]>
  close?(): Promise<void>
}
