import type { Span } from '#core/telemetry/tracer.ts'
import type { ChatMessage } from './chat-messages.ts'

/** The run for which turns are read or stored. */
export interface TurnScope {
  readonly runId: string
  readonly span: Span
  readonly signal: AbortSignal
}

/** Turns of the conversation of a run in session memory. Each turn is the messages of one run. Both functions reject in an outage. */
export interface Turns {
  /** Stored turns in order, as the state role returned them. */
  read(scope: TurnScope): Promise<unknown>
  append(scope: TurnScope, messages: readonly ChatMessage[]): Promise<void>
}
