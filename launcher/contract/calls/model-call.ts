import type { RespondingTarget } from '#core/model-apis/target-header.ts'
import type { Usage } from '#schemas/runs/run.ts'
import type { Approvals } from '../runs/approvals.ts'
import type { Finding } from '#core/guardrails/guard.ts'
import type { ModelRequest } from './model-request.ts'

/** Receives the response of a model call as it arrives. */
export interface ModelResponseSink {
  head(status: number, headers: Readonly<Record<string, string>>): void
  /** A returned promise is back-pressure. */
  data(chunk: Buffer): void | Promise<void>
}

/** Result of a model call, known before the last bytes of its response are written. */
export interface CallResult extends RespondingTarget {
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
  /** Headers of the caller that the gateway may pass to a provider, by name in lowercase. */
  readonly headers?: Readonly<Record<string, string[]>>
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
  /** Approvals of the run; undefined: the call belongs to no run, so no run can be paused. */
  readonly approvals?: Approvals | undefined
  /** Receives the matches of guardrail rules. */
  readonly onFindings?: OnFindings
  /** Called once, before the end of a complete response is written. */
  readonly onResult?: (result: CallResult) => void
}

/** Money: a decimal string in a currency. */
export interface Cost {
  readonly amount: string
  readonly currency: string
}

/** Receives the matches of guardrail rules: names and numbers, no content. */
export type OnFindings = (findings: readonly Finding[]) => void

/** Model calls of the agent, with its budget and its guardrails: used by port 2996 and the built-in loop. */
export interface ModelCalls {
  /**
   * Makes a call and writes the response of the gateway to `sink`. Rejects with `Refusal` or `GatewayRefusal`, which the caller writes as a response,
   * or as an event of the stream if `sink.head` was called.
   */
  call(request: ModelRequest, context: CallContext, sink: ModelResponseSink): Promise<CallResult>
  /** Number of calls in progress. */
  active(): number
  /** Resolves when no call is in progress. */
  idle(): Promise<void>
  /** Ends the calls in progress, and resolves when each is settled. */
  stop(): Promise<void>
}
