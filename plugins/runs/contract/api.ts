import type { Tx } from '#core/event-store/store.ts'
import type { Caller, Access, UserInfo } from '#core/cluster/caller.ts'
import type { ManagerContext, StateContext } from '#core/plugin/role-contexts.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import type { ChildOutcome } from './wire.ts'
import type { RunCosts } from './run.ts'
import type { PrepareRequest, PreparedRun, AccountName, QueueOptions, QueuedRun } from './prepared-run.ts'
import type { RunReference, FoundRun, SnapshotBounds, RunSnapshot, AgentAbove } from './found-run.ts'
import type { RunsOfCallers } from './caller-runs.ts'

/** A call of an agent by another one, whose envelope and membership were verified. */
export interface PeerCall {
  readonly from: AgentName & { readonly uid: string }
  readonly to: AgentName
  /** What the envelope claims of the calling run; compared with the stored runs. */
  readonly parentRunId: string | undefined
  readonly subject: string
  readonly path: readonly string[]
  readonly maxDepth: number
  readonly deadline: Date
  readonly input: unknown
  readonly payloadDigest: string
  readonly idempotencyKey: string
  readonly conversationId: string | undefined
  readonly trace: Trace | undefined
}

/** A run as the called agent's launcher sees it. */
export interface PeerRun extends ChildOutcome {
  readonly conversationId: string
}

/** What runs of calls between agents need of the state role. */
export type StateOfPeers = Pick<StateContext, 'cluster' | 'subjectMay'>

/** On whose behalf a run acts. A conversation belongs to the agent and this user (F7). */
export interface SubjectOfRun {
  readonly subject: string
  readonly agentUid: string | null
  readonly conversationId: string
}

/** Runs for other plugins: found within a caller's rights, and started on behalf of others (ADR 0063). */
export interface RunsApi {
  /**
   * Prepares a run of the caller: authorized and signed now, to be queued later. `access` is the review of `create
   * agentdeployments/invoke` for the agent. In roles that serve callers.
   */
  prepare(caller: Pick<Caller, 'username' | 'whoami'>, access: Access, request: PrepareRequest): Promise<PreparedRun>
  /**
   * Prepares a run of a ServiceAccount of the agent's namespace, after its right was reviewed. For schedules, in the manager: never on
   * behalf of the author of an object.
   */
  prepareAs(
    manager: Pick<ManagerContext, 'cluster' | 'subjectMay'>,
    account: AccountName,
    request: PrepareRequest,
  ): Promise<PreparedRun>
  /**
   * Queues a prepared run in a transaction of the plugin, in any role. A repeat returns the same run. Throws `prepared_run_refused`, or
   * as `POST /api/runs`: 404 without the agent, 429 above a quota of the subject.
   */
  queueIn(tx: Tx, prepared: PreparedRun, options?: QueueOptions): Promise<QueuedRun>
  /** The run that a caller may `get`. Throws `not_found` for others. */
  find(caller: Pick<Caller, 'may'>, reference: RunReference): Promise<FoundRun>
  /** What the model calls of a run cost that was found as a caller. */
  costsOf(run: FoundRun): Promise<RunCosts>
  /** Runs of callers, for other protocols than that of the API. In roles that serve callers. */
  ofCallers(): RunsOfCallers
  /** A run that a caller may `get`, with its content and the beginning of its journal. Throws `not_found` for others. */
  snapshot(caller: Pick<Caller, 'may'>, runId: string, most: SnapshotBounds): Promise<RunSnapshot>
  /** Locks a run until COMMIT; false if it was removed. What refers to a run is stored under this lock, and removed by `runs.deleted`. */
  lockIn(tx: Tx, runId: string): Promise<boolean>
  /** Those of the traces that still have a run. */
  heldTracesIn(tx: Tx, traceIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Creates the run of a call between agents, in the state role, after the caller's envelope was verified. Throws `call_refused`,
   * `depth_exceeded`, `cycle_detected`, 403 unless the subject may invoke the agent, and as `queueIn`.
   */
  startPeer(state: StateOfPeers, call: PeerCall): Promise<PeerRun>
  /** Waits at most `waitMs` for the end of a run that was created by `startPeer` for the agent of a pod; 404 for others. */
  readPeer(state: StateOfPeers, pod: Pick<UserInfo, 'username'>, runId: string, waitMs: number): Promise<PeerRun>
}

/** Reads without a proof of access. */
export interface RunsSystem {
  /**
   * Other agents of the runs above a run of the agent, from the run's parent up to the root; undefined unless the run is one of the agent.
   * Without a run: above every run that the agent executes now.
   */
  agentsAbove(agentUid: string, runId: string | undefined): Promise<readonly AgentAbove[] | undefined>
  /** A run of the agent with that uid; undefined for runs of others. */
  runOf(agentUid: string, reference: RunReference): Promise<FoundRun | undefined>
  /** Those of the traces that have runs: `own` if one is of the agent. */
  tracesOf(agentUid: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, 'own' | 'foreign'>>
  /** The user on whose behalf a run acts, its agent and its conversation; undefined for an unknown run. */
  subjectOf(runId: string): Promise<SubjectOfRun | undefined>
}

export type { ResumeAnswer, RunsOfCallers } from './caller-runs.ts'
export type { AgentAbove, FoundRun, RunReference, RunSnapshot, SnapshotBounds } from './found-run.ts'
export type { LiveFrame } from './live-frame.ts'
export type { AccountName, PreparedRun, PrepareRequest, QueuedRun, QueueOptions } from './prepared-run.ts'
export type { RunCosts, RunDetail } from './run.ts'
export type { SelectedRun } from './tables.ts'
