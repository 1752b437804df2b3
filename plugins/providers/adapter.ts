import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'

/** What an OpenAI client asked for. */
export type Operation = 'chat/completions' | 'embeddings'

/** One call of a provider. The body is an OpenAI request whose `model` is the provider's own id. */
export interface ProviderCall {
  readonly operation: Operation
  readonly provider: ModelProviderSpec
  readonly body: Readonly<Record<string, unknown>>
  /** The provider's key, read for each call by the gateway's own identity; undefined when it needs none. */
  readonly key: string | undefined
  readonly traceparent: string
  readonly signal: AbortSignal
  /** Longest wait for the head of the answer, in milliseconds. */
  readonly firstByteMs: number
}

/** Where the answer goes as it arrives: an OpenAI body, whole or as server-sent events. */
export interface AnswerSink {
  head(status: number, contentType: string, retryAfter: string | undefined): void
  /** A returned promise is back-pressure. */
  data(chunk: Buffer): void | Promise<void>
}

/** A way to speak to providers of one type. Rejects when there is no answer or it breaks off. */
export interface ModelAdapter {
  readonly type: string
  send(call: ProviderCall, sink: AnswerSink): Promise<void>
  close?(): Promise<void>
}
