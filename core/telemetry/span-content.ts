/** A message of a model call, as the conventions of OpenTelemetry write it. */
export interface SpanMessage {
  readonly role: string
  readonly parts: readonly SpanPart[]
}

/** A part of a message: `text`, `reasoning`, `tool_call`, `tool_call_response`, or the name of a medium without its data. */
export interface SpanPart {
  readonly type: string
  readonly content?: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly arguments?: unknown
  readonly response?: unknown
}

/** Content of an operation, neither bounded nor redacted. It never stands in attributes, which are logged. */
export interface SpanContent {
  readonly system?: readonly SpanPart[]
  readonly input?: readonly SpanMessage[]
  readonly output?: readonly SpanMessage[]
  readonly arguments?: unknown
  readonly result?: unknown
}

/** Reads the content of an ended span; called only if it is exported. */
export type ReadContent = () => SpanContent | undefined | Promise<SpanContent | undefined>
