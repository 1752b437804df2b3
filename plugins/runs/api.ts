import type { Access, Caller, UserInfo } from '#core/cluster/caller.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { ManagerContext, StateContext } from '#core/plugin/role-contexts.ts'
import { readCostsOf } from './store/read-costs.ts'
import type { RunCosts } from './store/read-costs.ts'
import { readPeerRun, startPeerRun } from './delegation/peer-runs.ts'
import type { PeerCall, PeerRun } from './delegation/peer-runs.ts'
import { prepareRun, prepareRunAs } from './prepared/prepare.ts'
import type { AccountName } from './prepared/prepare.ts'
import { queuePrepared } from './prepared/queue.ts'
import type { QueuedRun, QueueOptions } from './prepared/queue.ts'
import type { PrepareRequest } from './prepared/request.ts'
import type { PreparedRun } from './prepared/seal.ts'
import { findForCaller, findOfAgent } from './read/find-run.ts'
import type { FoundRun, RunReference } from './read/find-run.ts'
import { createRunsOfCallers } from './read/runs-of-callers.ts'
import type { RunsOfCallers } from './read/runs-of-callers.ts'
import { snapshotRun } from './read/snapshot-run.ts'
import type { RunSnapshot, SnapshotBounds } from './read/snapshot-run.ts'
import type { RunsServices } from './services.ts'
import { readAgentsAbove } from './store/internal/agents-above.ts'
import type { AgentAbove } from './store/internal/agents-above.ts'
import { findRun } from './store/internal/find-run.ts'
import { lockRun } from './store/internal/lease.ts'
import { readOwners } from './store/read-owners.ts'
import type { RunsTables } from './store/tables.ts'

export type { ResumeAnswer } from './lifecycle/decide.ts'
export type { RunDetail } from './read/to-run.ts'
export type { LiveFrame } from './stream/live-frame.ts'
export type { SelectedRun } from './store/tables.ts'
export type {
  AccountName,
  AgentAbove,
  FoundRun,
  PeerCall,
  PeerRun,
  PreparedRun,
  PrepareRequest,
  QueuedRun,
  QueueOptions,
  RunCosts,
  RunReference,
  RunsOfCallers,
  RunSnapshot,
  SnapshotBounds,
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

/** What runs of calls between agents need of the state role. */
export type StateOfPeers = Pick<StateContext, 'cluster' | 'subjectMay'>

/** Creates the API. */
export function createRunsApi(services: RunsServices): RunsApi {
  return {
    prepare: (caller, access, request) => prepareRun(services, caller, access, request),
    prepareAs: (manager, account, request) => prepareRunAs(services, manager, account, request),
    queueIn: (tx, prepared, options) => queuePrepared(services, tx, prepared, options),
    find: (caller, reference) => findForCaller(services.store.reader<RunsTables>(), caller, reference),
    costsOf: (run) => readCostsOf(services.store.reader<RunsTables>(), run),
    ofCallers: () => createRunsOfCallers(services),
    snapshot: (caller, runId, most) => snapshotRun(services.store, caller, runId, most),
    lockIn: async (tx, runId) => (await lockRun(tx.tables<RunsTables>(), runId)) !== undefined,
    heldTracesIn: async (tx, traceIds) => new Set((await readOwners(tx.tables<RunsTables>(), '', traceIds)).keys()),
    startPeer: (state, call) => startPeerRun({ ...services, state }, call),
    readPeer: (state, pod, runId, waitMs) => readPeerRun({ ...services, state }, pod, runId, waitMs),
  }
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

/** On whose behalf a run acts. A conversation belongs to the agent and this user (F7). */
export interface SubjectOfRun {
  readonly subject: string
  readonly agentUid: string | null
  readonly conversationId: string
}

/** Creates the reads. */
export function createRunsSystem({ store }: { readonly store: Store }): RunsSystem {
  const db = store.reader<RunsTables>()
  return {
    runOf: (agentUid, reference) => findOfAgent(db, agentUid, reference),
    tracesOf: (agentUid, traceIds) => readOwners(db, agentUid, traceIds),
    subjectOf: async (runId) => {
      const run = await findRun(db, runId)
      return run && { subject: run.subject, agentUid: run.agent_uid, conversationId: run.conversation_id }
    },
    agentsAbove: (agentUid, runId) => readAgentsAbove(db, agentUid, runId),
  }
}
