import type { Tx } from '#core/event-store/store.ts'
import type { Caller, Access, AccessScope } from '#core/cluster/caller.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { ManagerContext, StateContext } from '#core/plugin/role-contexts.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import type { RunState } from '#schemas/runs/run.ts'
import type { ChildOutcome } from './wire.ts'
import type { RunCosts, RunMoney } from './run.ts'
import type { PrepareRequest, PreparedRun, AccountName, QueueOptions, QueuedRun } from './prepared-run.ts'
import type {
  AgentAbove,
  EndedContent,
  EndedRun,
  FoundRun,
  RunPosition,
  RunOfTrace,
  RunReference,
  RunSnapshot,
  SealAccessOptions,
  SealedAccess,
  SnapshotBounds,
} from './found-run.ts'
import type { RunFilter, RunPage, RunsOfCallers } from './caller-runs.ts'

/** A call from one agent to another, after its envelope and membership were verified. */
export interface PeerCall {
  readonly from: AgentName & { readonly uid: string }
  readonly to: AgentName
  /** The calling run according to the envelope; compared with the stored runs. */
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

/** Parts of the state role that calls between agents need. */
export type StateOfPeers = Pick<StateContext, 'cluster' | 'subjectMay'>

/** On whose behalf a run acts. A conversation belongs to the agent and this user (F7). */
export interface SubjectOfRun {
  readonly subject: string
  readonly agentUid: string | null
  readonly conversationId: string
  readonly state: RunState
  /** Kind of its trigger, such as api or eval. */
  readonly trigger: string
}

/** A consent for which runs may wait. */
export interface GivenConsent {
  readonly subject: string
  /** Beginning of the ids of the interrupts. */
  readonly interruptPrefix: string
  /** Only this run. */
  readonly runId?: string
}

/** Window of the statistics of agents: by the creation of the runs. */
export interface AgentStatsWindow {
  /** Both bounds are moved outwards to bounds of bins, whose width is at least a minute. */
  readonly from: Date
  readonly to: Date
  /** Number of equal bins that end with the window, 1 to 500. */
  readonly bins: number
  /** Only these agents. */
  readonly agentUids?: readonly string[]
}

/** Statistics of the runs of an agent. */
export interface AgentStats {
  /** Runs that were created in the window, in any state. */
  readonly runs: number
  /** Those that failed, timed out or were rejected. */
  readonly failed: number
  /** Percentiles of the durations of ended runs, from their start to their end; the error is at most 10 %. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** Null without a priced call, and for several currencies. */
  readonly cost: RunMoney | null
  /** Input and output tokens. */
  readonly tokens: number
  readonly bins: readonly AgentBin[]
}

/** Ends of the runs that were created in a part of the window. */
export interface AgentBin {
  readonly ok: number
  readonly failed: number
}

/** Paused runs: their number up to a bound, and the newest of them. */
export interface PausedRuns {
  readonly count: number
  readonly items: readonly {
    readonly id: string
    readonly namespace: string
    /** Null for a run without an agent. */
    readonly agent: string | null
    readonly reason: string
    readonly since: string | null
  }[]
}

/** Agents whose runs fail: their number, and those with the most failed runs. */
export interface FailingAgents {
  readonly count: number
  readonly items: readonly {
    readonly namespace: string
    readonly agent: string
    readonly runs: number
    readonly failed: number
  }[]
}

/** Runs for other plugins: found within a caller's rights, and started on behalf of others (ADR 0063). */
export interface RunsApi {
  /**
   * Prepares a run of the caller: authorized and signed now, to be queued later. `access` is the review of `create agentdeployments/invoke` for the
   * agent. Available in roles that serve callers.
   */
  prepare(
    caller: Pick<Caller, 'username' | 'whoami' | 'cluster'>,
    access: Access,
    request: PrepareRequest,
  ): Promise<PreparedRun>
  /**
   * Prepares a run of a ServiceAccount of the agent's namespace, after an access review. For schedules, in the manager: never on behalf of the author
   * of an object.
   */
  prepareAs(
    manager: Pick<ManagerContext, 'cluster' | 'subjectMay'>,
    account: AccountName,
    request: PrepareRequest,
  ): Promise<PreparedRun>
  /**
   * Queues a prepared run in a transaction of the plugin, in any role. A repeat returns the same run. Throws `prepared_run_refused`, or the errors of
   * `POST /api/runs`: 404 without the agent, 429 above a quota of the subject.
   */
  queueIn(tx: Tx, prepared: PreparedRun, options?: QueueOptions): Promise<QueuedRun>
  /** Finds a run that the caller may `get`. Throws `not_found` for others. */
  find(caller: Pick<Caller, 'may'>, reference: RunReference): Promise<FoundRun>
  /**
   * Statistics of the runs of each agent, by uid, that were created in a window in the namespaces of the proofs; agents without runs are absent. They
   * follow a change of a run within about a second.
   */
  statsOfAgents(access: AccessScope<'list', 'runs'>, window: AgentStatsWindow): Promise<ReadonlyMap<string, AgentStats>>
  /** Paused runs in the namespaces of the proofs: their number, at most 1,000, and the newest ones. */
  pausedRuns(access: AccessScope<'list', 'runs'>, top: number): Promise<PausedRuns>
  /** Agents of which a tenth of the runs since a time failed: their number, and those with the most failed runs. */
  failingAgents(access: AccessScope<'list', 'runs'>, since: Date, top: number): Promise<FailingAgents>
  /** Costs of the model calls of a run that `find` returned. */
  costsOf(run: FoundRun): Promise<RunCosts>
  /** The oldest run of each trace in the proof's namespace, with its costs; traces without one are absent. */
  ofTraces(access: Access<'list', 'runs'>, traceIds: readonly string[]): Promise<ReadonlyMap<string, RunOfTrace>>
  /** Runs of callers, for protocols other than the API. Available in roles that serve callers. */
  ofCallers(): RunsOfCallers
  /** Reads a run that the caller may `get`, with its content and the beginning of its journal. Throws `not_found` for others. */
  snapshot(caller: Pick<Caller, 'may'>, runId: string, most: SnapshotBounds): Promise<RunSnapshot>
  /**
   * Seals the caller's review of `get runs`, so that a job or a task of the plugin can read snapshots later by `system.snapshot`. Available in roles that
   * serve callers.
   */
  sealAccess(access: Access<'get', 'runs'>, options?: SealAccessOptions): Promise<SealedAccess>
  /** Locks a run until COMMIT; false if it was removed. Rows that refer to a run are stored under this lock and removed on `runs.deleted`. */
  lockIn(tx: Tx, runId: string): Promise<boolean>
  /** Records that a run, which `lockIn` has locked, has feedback: lists filter by it. */
  markRatedIn(tx: Tx, runId: string): Promise<void>
  /**
   * Resolves the interrupts of paused runs of a subject that wait for its consent, and resumes those that wait for nothing else. A repeat changes
   * nothing. Returns the resumed runs.
   */
  resumeConsentedIn(tx: Tx, consent: GivenConsent): Promise<readonly string[]>
  /** Those of the runs that belong to an agent and succeeded. */
  succeededIn(tx: Tx, runIds: readonly string[]): Promise<readonly EndedRun[]>
  /** Returns those of the traces that still have a run. */
  heldTracesIn(tx: Tx, traceIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Creates the run of a call between agents, in the state role, after the caller's envelope was verified. Throws `call_refused`, `depth_exceeded`,
   * `cycle_detected`, 403 unless the subject may invoke the agent, and the errors of `queueIn`.
   */
  startPeer(state: StateOfPeers, call: PeerCall): Promise<PeerRun>
  /** Waits at most `waitMs` for the end of a run that was created by `startPeer` for the calling agent; 404 for others. */
  readPeer(state: StateOfPeers, agent: Pick<CallingAgent, 'uid'>, runId: string, waitMs: number): Promise<PeerRun>
}

/** Reads without proof of access. */
export interface RunsSystem {
  /**
   * Other agents of the runs above a run of the agent, from the run's parent up to the root; undefined unless the run belongs to the agent. Without a
   * run: the agents above all runs that the agent executes now.
   */
  agentsAbove(agentUid: string, runId: string | undefined): Promise<readonly AgentAbove[] | undefined>
  /** Finds a run of the agent with the uid; undefined for runs of other agents. */
  runOf(agentUid: string, reference: RunReference): Promise<FoundRun | undefined>
  /** Returns those of the traces that have runs: `own` if one belongs to the agent, else `foreign`. */
  tracesOf(agentUid: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, 'own' | 'foreign'>>
  /**
   * Reads a run under an access that `sealAccess` returned, with its content and the beginning of its journal, from which `tree` builds its spans.
   * Throws `run_access_refused` for an expired access or another run, and `not_found` for a run that was removed.
   */
  snapshot(access: SealedAccess, runId: string, most: SnapshotBounds): Promise<RunSnapshot>
  /**
   * A page of the runs that a sealed access of a namespace covers, newest first. Throws `run_access_refused` for an expired access, or one of a single
   * run.
   */
  list(access: SealedAccess, filter: RunFilter, page: Pick<RunPage, 'limit' | 'after'>): Promise<readonly RunPosition[]>
  /** Content of a run of an agent that succeeded, with what its trace policy shows of it; undefined for others. */
  contentOf(runId: string): Promise<EndedContent | undefined>
  /** The user on whose behalf a run acts, its agent and its conversation; undefined for an unknown run. */
  subjectOf(runId: string): Promise<SubjectOfRun | undefined>
}

export type { ResumeAnswer, RunFilter, RunKey, RunsOfCallers } from './caller-runs.ts'
export type {
  AgentAbove,
  EndedContent,
  EndedRun,
  FoundRun,
  RunPosition,
  RunOfTrace,
  RunReference,
  RunSnapshot,
  SealAccessOptions,
  SealedAccess,
  SnapshotBounds,
} from './found-run.ts'
export type { LiveFrame } from './live-frame.ts'
export type { AccountName, PreparedRun, PrepareRequest, QueuedRun, QueueOptions } from './prepared-run.ts'
export type { RunCosts, RunDetail } from './run.ts'
export type { SelectedRun } from './tables.ts'
