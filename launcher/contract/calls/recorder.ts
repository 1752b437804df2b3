import type { FixtureRequest } from '#schemas/runs/fixture.ts'
import type { ModelCalls } from './model-call.ts'

/** A call that may be recorded. */
export interface StartedCall {
  readonly runId: string | undefined
  readonly call: FixtureRequest
  /** Size of the request as JSON. */
  readonly requestBytes: number
  /** Span of the call. */
  readonly traceparent: string
  readonly parentSpanId: string | undefined
}

/** How a call ended, before secrets are removed. */
export type CallEnd =
  /** JSON, or server-sent events of a stream. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly stream: boolean }
  | { readonly kind: 'value'; readonly body: unknown; readonly size: number }
  | { readonly kind: 'error'; readonly status: number; readonly code: string | null; readonly message: string }
  | { readonly kind: 'aborted' }

/** A call whose recording has begun. */
export interface OpenCall {
  /** Reserves memory for bytes of the response; false: the response is too large and is left out of the recording. */
  reserve(bytes: number): boolean
  end(end: CallEnd): void
}

/** Records calls of runs. No method waits for anything, or throws. */
export interface Recorder {
  /** Begins a call; undefined: it belongs to no run of this launcher, or the recording is full. */
  begin(started: StartedCall): OpenCall | undefined
  /** Follows an attempt of a run to its end. */
  follow(attempt: FollowedAttempt): void
  /** Wraps model calls so that they are recorded. */
  record(calls: ModelCalls): ModelCalls
  /** Sends what is queued, for a short time. */
  close(): Promise<void>
}

/** An attempt of a run. */
export interface FollowedAttempt {
  readonly runId: string
  readonly epoch: number
  readonly done: Promise<{ readonly state: 'succeeded' | 'failed' | 'paused' | 'cancelled' | 'timed_out' }>
  /** Resolves when the agent has stopped. */
  readonly stopped: Promise<void>
}
