import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import type { AccessScope, Caller } from '#core/cluster/caller.ts'
import type { Tx } from '#core/event-store/store.ts'
import { definePoint } from '#core/jobs/extension-point.ts'
import type { EntryKind, InvokeResult, Resolution } from '#schemas/runs/run.ts'
import type { SpanContentView } from '#schemas/api/span-content.ts'
import type { RunsSystem } from './api.ts'
import type { RunProgress } from './run-progress.ts'
import type { QueuedRun, PreparedRun, PrepareRequest, Permission } from './prepared-run.ts'

/** Executes runs of one kind, in the worker, under the lease of the run. */
export interface RunExecutor {
  /** Kind of the runs: lowercase letters, digits and `-`. */
  readonly kind: string
  /** Permission that a caller needs in the run's namespace to create such a run. */
  readonly permission: Permission
  /**
   * Runs of this kind on behalf of the ServiceAccount of an agent may invoke that agent without an access review, for work that the platform starts. Without
   * it, the account needs a RoleBinding like any other.
   */
  readonly actsAsAgent?: true
  /**
   * Executes a segment of the run. It is called again with the last checkpoint after a crash, an error or `waiting`, so it must continue from
   * there. An error is retried with a growing pause, `runs.maxAttempts` times without progress.
   */
  execute(run: ExecutorRun, worker: ExecutorContext): Promise<ExecutorResult>
}

/** What executors use of their worker. */
export interface ExecutorContext extends Pick<WorkerContext, 'embeddings' | 'models' | 'objects'> {
  /** Reads a run under a sealed access, such as one in the input of the executor's run. */
  readonly snapshot: RunsSystem['snapshot']
  /** Lists the runs of a namespace under a sealed access. */
  readonly list: RunsSystem['list']
}

/** How a call of an executor ended. `waiting` releases the worker; the executor is called again after the pause. */
export type ExecutorResult = WithoutUsage<InvokeResult> | { readonly state: 'waiting'; readonly afterMs: number }

type WithoutUsage<T> = T extends unknown ? Omit<T, 'usage'> : never

/** A run under the lease of this worker. Every write checks the lease, and is rejected once another worker has the run. */
export interface ExecutorRun {
  readonly id: string
  readonly kind: string
  readonly namespace: string
  /** The account on whose behalf the run is executed. */
  readonly subject: string
  readonly conversationId: string
  readonly labels: Readonly<Record<string, string>>
  readonly traceparent: string
  /** Time by which the run must end; it is then `timed_out`. */
  readonly deadline: Date | undefined
  readonly input: unknown
  /** Fencing token: increases with each claim of the run. */
  readonly epoch: number
  /** Number of the segment: starts at 1 and increases with each pause. */
  readonly segment: number
  /** The last saved checkpoint; null if there is none. */
  readonly checkpoint: unknown
  /** Answers to the interrupts of the last pause. */
  readonly resolutions: readonly Resolution[]
  /** Aborts when the worker stops, the run exceeds a limit, or another worker has it: the result no longer counts. */
  readonly signal: AbortSignal
  /** Aborts when a cancel is requested. The executor then has `runs.cancelTimeout` to return. */
  readonly cancelled: AbortSignal
  /** Writes journal entries, a checkpoint and rows of the plugin in one transaction. */
  save(change: ExecutorChange): Promise<void>
  /**
   * Prepares a child run for the subject of this run, whose right is reviewed now, so that a step can use the output of an earlier one. The child
   * inherits the deadline of this run. Throws `forbidden`, `invalid_body` with the field, `not_found` for an unknown agent, and `run_terminal`
   * after a cancel.
   */
  prepareChild(request: PrepareRequest): Promise<PreparedRun>
  /** Queues a prepared run as a child of this run; within `save`. A child that has not ended is cancelled at the end of this run. */
  queueChild(tx: Tx, prepared: PreparedRun): Promise<QueuedRun>
  /**
   * Reports progress to the streams of the run, as `run.progress`. The latest report is sent, at most four times a second; none is journaled. Throws for
   * a report that is not of this shape.
   */
  progress(report: RunProgress): void
  /** State and outcome of the child runs, oldest first; of those with these ids, if they are given. */
  children(ids?: readonly string[]): Promise<readonly ChildRun[]>
  /** Names of the tools that a child run has called, in the order of their calls; at most 1,000. */
  toolsOf(childId: string): Promise<readonly string[]>
}

/** A change of a run by its executor. */
export interface ExecutorChange {
  readonly entries?: readonly ExecutorEntry[]
  /** Replaces the checkpoint. */
  readonly checkpoint?: unknown
  readonly also?: (tx: Tx) => Promise<void>
}

/** A journal entry of a kind that a launcher may report, except `run.*`. */
export interface ExecutorEntry {
  readonly kind: EntryKind
  readonly spanId?: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A child run. */
export interface ChildRun extends QueuedRun {
  readonly output: unknown
  readonly error: string | null
  readonly failReason: string | null
  /** Costs of its metered model calls, in micro-units; null without a priced call, and for several currencies. */
  readonly cost: { readonly micros: bigint; readonly currency: string } | null
}

/** Names the tenants of namespaces, for statistics by tenant. */
export interface RunTenants {
  /** Tenant of each namespace in a tenant, by the name of the namespace. */
  tenantsOf(access: AccessScope<'list', 'runs'>, namespaces: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** The source of tenants; without one no run belongs to a tenant. */
export const runTenants = definePoint<RunTenants>('runs.tenants', () => 'tenants')

/** Contents of the spans of runs. */
export interface RunContents {
  /** Finds the contents of the spans of a run that the caller may get: by span id, withheld where the caller may not see it. */
  find(caller: Pick<Caller, 'may'>, run: RunOfContents): Promise<(spanId: string) => SpanContentView | null>
}

/** A run whose contents are read. */
export interface RunOfContents {
  readonly id: string
  readonly traceId: string
  readonly namespace: string
  readonly agentUid: string | null
}

/** Where contents of runs are kept; at most one plugin has them. */
export const runContents = definePoint<RunContents>('runs.contents', () => 'contents')

/** Executors of runs without an agent; one per kind. */
export const runExecutor = definePoint<RunExecutor>('runs.executor', ({ kind }) => kind)

export type { RunProgress } from './run-progress.ts'
