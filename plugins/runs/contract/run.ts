import type { Decision, Interrupt, Usage } from '#schemas/runs/run.ts'
import type { SelectedRun } from './tables.ts'

/** An amount of money. */
export interface RunMoney {
  readonly amount: string
  readonly currency: string
}

/** Costs of the model calls of a run. */
export interface RunCosts {
  /** Null without a priced call, and for calls in several currencies. */
  readonly cost: RunMoney | null
  /** Cost of the run and all runs below it. Also null if the trees in one response have more than 10,000 runs. */
  readonly treeCost: RunMoney | null
  /** Calls of the run whose cost stays unknown. */
  readonly unpricedCalls: number
  /** Calls of the run that the gateway has answered but not yet metered. */
  readonly pendingCalls: number
}

/** What a run did. */
export interface RunActivity {
  /** From the start to the first text of the agent. */
  readonly firstTokenMs: number | null
  readonly modelCalls: number
  readonly toolCalls: number
  /** Runs that it started itself, in any namespace, counted up to 200. */
  readonly childRuns: number
}

/** An open interrupt of a paused run. */
export interface AskedInterrupt extends Interrupt {
  /** Time of the pause. */
  readonly askedAt?: string
  /** Time from which the run is removed if it is still paused. */
  readonly expiresAt?: string
}

/** A run in lists of the API (shape table of the API, "Run"). Fields that are not loaded are absent, never null. */
export interface Run extends RunCosts, RunActivity {
  readonly id: string
  readonly agent: { readonly namespace: string; readonly name: string; readonly revision: number | null } | null
  readonly conversationId: string
  readonly rootRunId: string
  readonly parentRunId: string | null
  readonly trigger: { readonly kind: string; readonly by: string }
  readonly subject: string
  readonly decidedBy: string | null
  readonly state: SelectedRun['state']
  readonly pauseReason: SelectedRun['pause_reason']
  readonly failReason: SelectedRun['fail_reason']
  readonly interrupts: readonly AskedInterrupt[]
  readonly error: { readonly code: string; readonly message?: string } | null
  /** Why the run waits for its agent. */
  readonly waitReason?: WaitReason
  /** In lists: the beginning of the input, after the trace policy of the agent; null if that hides it. */
  readonly inputPreview?: string | null
  /** In lists: the beginning of the output. */
  readonly outputPreview?: string | null
  readonly usage: Usage
  readonly traceId: string
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** From the start to the end. */
  readonly durationMs: number | null
  /** From the creation to the start. */
  readonly queueMs: number | null
  readonly labels: Readonly<Record<string, string>>
}

/** A run with its content. null means that the run has no such value. */
export interface RunDetail extends Run {
  readonly decisions: readonly Decision[]
  readonly input: unknown
  readonly output: unknown
  readonly error: RunError | null
}

/** Why a run waits for its agent. */
export interface WaitReason extends RunError {
  readonly reason?: string | undefined
}

/** The error of a run. */
export interface RunError {
  readonly code: string
  readonly message: string
}
/** Pattern of the id of a run. */

export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
