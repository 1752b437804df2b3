import type { Store } from '#core/event-store/store.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { readCostsOf } from './store/read-costs.ts'
import { resumeConsentedIn } from './interrupts/resume-consented.ts'
import { readPeerRun, startPeerRun } from './delegation/peer-runs.ts'
import type { RunsApi, RunsSystem } from './contract/api.ts'
import { prepareRun, prepareRunAs } from './prepared/prepare.ts'
import { queuePrepared } from './prepared/queue.ts'
import { findForCaller, findOfAgent } from './read/find-run.ts'
import { readRunsOfTraces } from './store/runs-of-traces.ts'
import { createRunsOfCallers } from './services/runs-of-callers.ts'
import { listSealed, sealAccess } from './read/sealed-access.ts'
import { sealedSnapshot, snapshotRun } from './read/snapshot-run.ts'
import type { RunsServices } from './services/create-services.ts'
import { readAgentsAbove } from './store/internal/agents-above.ts'
import { findRun } from './store/internal/find-run.ts'
import { markRatedIn } from './store/rated-runs.ts'
import { readEndedContent, readSucceeded } from './store/ended-runs.ts'
import { lockRun } from './store/internal/lease.ts'
import { readStatsOfAgents } from './stats/stats-of-agents.ts'
import { readOwners } from './store/read-owners.ts'
import { readFailingAgents, readPausedRuns } from './store/run-troubles.ts'
import type { RunsTables } from './contract/tables.ts'

/** Creates the API. */
export function createRunsApi(services: RunsServices): RunsApi {
  return {
    prepare: (caller, access, request) => prepareRun(services, caller, access, request),
    prepareAs: (manager, account, request) => prepareRunAs(services, manager, account, request),
    queueIn: (tx, prepared, options) => queuePrepared(services, tx, prepared, options),
    find: (caller, reference) => findForCaller(services.store.reader<RunsTables>(), caller, reference),
    costsOf: (run) => readCostsOf(services.store.reader<RunsTables>(), run),
    statsOfAgents: (access, window) => readStatsOfAgents(services.store.reader<RunsTables>(), access, window),
    ofTraces: (access, traceIds) => readRunsOfTraces(services.store.reader<RunsTables>(), access, traceIds),
    pausedRuns: (access, top) => readPausedRuns(services.store.reader<RunsTables>(), access, top),
    failingAgents: (access, since, top) => readFailingAgents(services.store.reader<RunsTables>(), access, since, top),
    ofCallers: () => createRunsOfCallers(services),
    snapshot: (caller, runId, most) => snapshotRun(services.store, caller, runId, most),
    sealAccess: (access, options) => sealAccess(services, access, options),
    lockIn: async (tx, runId) => (await lockRun(tx.tables<RunsTables>(), runId)) !== undefined,
    markRatedIn: (tx, runId) => markRatedIn(tx.tables<RunsTables>(), runId),
    resumeConsentedIn: (tx, consent) => resumeConsentedIn(services, tx, consent),
    succeededIn: (tx, runIds) => readSucceeded(tx.tables<RunsTables>(), runIds),
    heldTracesIn: async (tx, traceIds) => new Set((await readOwners(tx.tables<RunsTables>(), '', traceIds)).keys()),
    startPeer: (state, call) => startPeerRun({ ...services, state }, call),
    readPeer: (state, agent, runId, waitMs) => readPeerRun({ ...services, state }, agent, runId, waitMs),
  }
}

/** Dependencies of reads. */
export interface SystemServices {
  readonly core: Pick<Core, 'keys' | 'now'>
  readonly store: Store
}

/** Creates the reads. */
export function createRunsSystem(services: SystemServices): RunsSystem {
  const { store } = services
  const db = store.reader<RunsTables>()
  return {
    runOf: (agentUid, reference) => findOfAgent(db, agentUid, reference),
    tracesOf: (agentUid, traceIds) => readOwners(db, agentUid, traceIds),
    snapshot: (access, runId, most) => sealedSnapshot(services, access, runId, most),
    list: (access, filter, page) => listSealed(services, access, filter, page),
    contentOf: (runId) => readEndedContent(db, runId),
    subjectOf: async (runId) => {
      const run = await findRun(db, runId)
      if (run === undefined) return undefined
      const { subject, agent_uid: agentUid, conversation_id: conversationId, state, trigger_kind: trigger } = run
      return { subject, agentUid, conversationId, state, trigger }
    },
    agentsAbove: (agentUid, runId) => readAgentsAbove(db, agentUid, runId),
  }
}
