import type { Logger } from '#core/log/logger.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { QueuedRun, PreparedRun, PrepareRequest } from '../../contract/prepared-run.ts'
import type { ExecutorContext, RunExecutor } from '../../contract/points.ts'
import type { LiveUpdates } from '../../contract/live-frame.ts'
import type { Claim } from '../../store/internal/lease.ts'
import type { SelectedRun } from '../../contract/tables.ts'
import type { RunWriter } from '../../lifecycle/run-writer.ts'
import type { WaitVerdict } from '../../launchers/judge-readiness.ts'
import type { FaultCause } from '../entries/agent-fault.ts'
import type { Launchers } from '../connections/choose-launcher.ts'
import type { RunLimits } from '../entries/run-limits.ts'

/** A run as its worker holds it. `signal` ends a request about it. */
export interface HeldAttempt {
  readonly run: SelectedRun
  readonly epoch: number
  readonly signal?: AbortSignal
}

/** What the launchers of a run are asked with. */
export interface BoundInvocation {
  grant(): string
  /** The only revision that may start the run; null: any. */
  readonly revision: number | null
}

/** Dependencies of executing runs in the worker role. */
export interface WorkerServices {
  readonly store: Store
  readonly writer: RunWriter
  readonly live: LiveUpdates
  readonly log: Logger
  /** Undefined if no collector is configured. */
  readonly tracer?: Tracer | undefined
  /** Returns the launchers of the run's agent, with the credentials of this claim. */
  launchersOf(run: SelectedRun, invocation: BoundInvocation, claim: Claim): Launchers
  /** Whether the subject may still invoke the agent, with the current grant of the run (absent from older state roles). */
  recheck(run: SelectedRun, epoch: number): Promise<{ readonly allowed: boolean; readonly grant?: string }>
  /** Asks the state role whether the agent of the run, which has no ready pod, may become ready. Rejects without a response. */
  readiness(run: SelectedRun, epoch: number, signal: AbortSignal): Promise<WaitVerdict>
  /** How long a run waits until its journal records the reason; default: two seconds. */
  readonly shownAfterMs?: number
  /** Executors of runs without an agent. */
  readonly executors?: readonly RunExecutor[]
  /** What executors get besides their run. */
  readonly forExecutors: ExecutorContext
  /** Asks the state role to prepare a child of an executor's run. Throws its refusal as `Fail`. */
  readonly prepareChild?: (attempt: HeldAttempt, request: PrepareRequest) => Promise<PreparedRun>
  /** Queues a prepared run as a child. */
  readonly queueChild?: (tx: Tx, prepared: PreparedRun, parentRunId: string) => Promise<QueuedRun>
  /** How long an agent may be unreachable before its run fails. */
  readonly unreachableAfterMs: number
  /** How long a busy agent is retried before its run is requeued. */
  readonly busyPatienceMs: number
  /** How long a cancelled run may take to stop before the worker ends it. */
  readonly cancelPatienceMs: number
  /** How long an agent may work on a segment before the worker ends the run. */
  readonly agentTimeoutMs: number
  readonly limits: RunLimits
  /** Failed attempts without progress after which a run ends. */
  readonly maxAttempts: number
  /** Pause after the first failed attempt; doubles with each attempt, up to a minute. */
  readonly retryMs: number
  /** Counts a run that its worker ended, by cause. */
  readonly faulted?: (cause: FaultCause) => void
}
