import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { ManagerContext } from '#core/plugin/role-contexts.ts'
import { prepareRun, prepareRunAs } from './prepared/prepare.ts'
import type { AccountName } from './prepared/prepare.ts'
import { queuePrepared } from './prepared/queue.ts'
import type { QueuedRun, QueueOptions } from './prepared/queue.ts'
import type { PrepareRequest } from './prepared/request.ts'
import type { PreparedRun } from './prepared/seal.ts'
import type { RunsServices } from './services.ts'

export type { AccountName, PreparedRun, PrepareRequest, QueuedRun, QueueOptions }

/** Runs on behalf of others, for plugins (ADR 0063). */
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
}

/** Creates the API. */
export function createRunsApi(services: RunsServices): RunsApi {
  return {
    prepare: (caller, access, request) => prepareRun(services, caller, access, request),
    prepareAs: (manager, account, request) => prepareRunAs(services, manager, account, request),
    queueIn: (tx, prepared, options) => queuePrepared(services, tx, prepared, options),
  }
}
