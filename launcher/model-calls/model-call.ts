import type { Usage } from '#schemas/runs/run.ts'
import type { Approvals } from '../runs/approvals.ts'
import type { OnFindings } from './guard-request.ts'
import type { Cost } from './holds/holds.ts'

/** Receives the answer of a model call as it arrives. */
export interface AnswerSink {
  head(status: number, headers: Readonly<Record<string, string>>): void
  /** A returned promise is back-pressure. */
  data(chunk: Buffer): void | Promise<void>
}

/** Result of a model call, known before the last bytes of its answer are written. */
export interface CallResult {
  /** Undefined: the provider reported none. */
  readonly usage: Usage | undefined
  /** Undefined: without a price, without a budget, or not known yet. */
  readonly cost: Cost | undefined
  /** Name of the model at the provider. */
  readonly model: string | undefined
}

/** Origin of a model call. */
export interface CallContext {
  readonly runId: string | undefined
  readonly traceparent: string
  /** Parent of the span of the call. */
  readonly parentSpanId?: string | undefined
  readonly conversationId: string | undefined
  /** Header `anthropic-beta`, which the gateway validates. */
  readonly betas?: string | undefined
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
  /** Approvals of the run; undefined: the call belongs to no run, which could be paused. */
  readonly approvals?: Approvals | undefined
  /** Receives the matches of guardrail rules. */
  readonly onFindings?: OnFindings
  /** Called once, before the end of a complete answer is written. */
  readonly onResult?: (result: CallResult) => void
}
