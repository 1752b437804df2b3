import type { Actor } from '#core/event-store/event.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Fail } from '#core/errors/domain-error.ts'
import { runCreated } from '../contract/events.ts'
import { toRows } from '../lifecycle/journal-entry.ts'
import { toNewRow } from '../lifecycle/run-row.ts'
import type { LiveUpdates } from '../contract/live-frame.ts'
import { lockParent } from './lock-parent.ts'
import { readAdmission } from '../store/internal/admission.ts'
import { checkQuotas } from './quotas.ts'
import type { ExceededQuota, RunQuotas } from './quotas.ts'
import { findKeyed } from '../store/keyed.ts'
import { insertRun } from '../store/internal/content.ts'
import type { NewJournal, RunsTables, RunsTx, SelectedRun } from '../contract/tables.ts'

/** An agent by name and uid. */
export interface AgentRef {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The kind of a run that an executor of a plugin executes, and the namespace of the run. */
export interface ExecutorRef {
  readonly kind: string
  readonly namespace: string
}

/** Data of a new run. */
export interface NewRun {
  readonly runId: string
  /** The agent, or the kind and namespace of a run without one. */
  readonly agent?: AgentRef
  readonly executor?: ExecutorRef
  readonly namespaceUid: string
  readonly input: unknown
  /** What lists show of the input; see `toPreview`. */
  readonly inputPreview?: string | null | undefined
  readonly conversationId: string
  readonly labels: Readonly<Record<string, string>>
  readonly trigger: { readonly kind: string; readonly by: string }
  /** Subject of the run, as in `grant`. */
  readonly subject: string
  readonly actor: Actor
  readonly grant: string
  readonly traceparent: string
  readonly parent?: Pick<SelectedRun, 'id' | 'root_run_id'>
  /** Idempotency key of the request. A second request with it returns the run of the first one. */
  readonly idempotency?: Idempotency | undefined
  /** Time by which the run must end, inherited from a calling run. */
  readonly deadline?: Date | undefined
  /** The only revision of the agent that may run it. */
  readonly revision?: number | undefined
}

/** Dependencies of creating a run. */
export interface CreateServices {
  readonly store: Store
  readonly live: LiveUpdates
  readonly core: { readonly now: () => Date }
  readonly settings: RunQuotas
  /** Counts a run that a quota refused. */
  readonly refused?: (quota: ExceededQuota) => void
}

/** An agent or namespace that must exist until the new run is committed. */
export interface Target {
  readonly uid: string
  /** Returns the error if the target does not exist. */
  missing(): Fail
}

/**
 * Queues a run: event, content, lease and first journal entry in one transaction, which is refused if `target` does not exist. A
 * finished or cancelling parent gets no more children: `run_terminal`. If an earlier request has the same idempotency key, returns its
 * run and creates none.
 */
export function createRun(services: CreateServices, run: NewRun, target?: Target): Promise<SelectedRun> {
  return services.store.transact((tx) => createRunIn(services, tx, run, target))
}

/** As `createRun`, in the given transaction. */
export async function createRunIn(
  services: Omit<CreateServices, 'store'>,
  tx: Tx,
  run: NewRun,
  target?: Target,
): Promise<SelectedRun> {
  const db = tx.tables<RunsTables>()
  const known = await findKeyed(db, run.idempotency)
  if (known) return known
  const of = { namespaceUid: run.namespaceUid, caller: run.trigger.by }
  const { exists, usage } = await readAdmission(db, target?.uid, of, services.settings)
  if (target && !exists) throw target.missing()
  if (run.parent) await lockParent(db, run.parent.id)
  checkQuotas(usage, services.settings, (quota) => services.refused?.(quota))
  const time = services.core.now()
  if (!(await insertRun(db, run, toQueued(run, time)))) return madeMeanwhile(db, run.idempotency)
  const created = { ...toCreated(run), time }
  await tx.append(`runs/${run.runId}`, 0, [created])
  tx.afterCommit(() => services.live.wake(run.runId))
  // The row as the projection has written it.
  return { ...toNewRow({ ...created, type: runCreated.type, version: 1 }), subject: run.subject }
}

function toQueued(run: NewRun, ts: Date): readonly NewJournal[] {
  const data = { trigger: run.trigger, conversationId: run.conversationId }
  const path = [run.agent?.name ?? run.executor?.kind ?? '']
  return toRows(run.runId, 0, [{ ts, kind: 'run.queued', path, spanId: '', data }])
}

// Two concurrent requests with one key: the insert of the second one waited for the COMMIT of the first.
async function madeMeanwhile(db: RunsTx, idempotency: Idempotency | undefined): Promise<SelectedRun> {
  const run = await findKeyed(db, idempotency)
  if (!run) throw new Error('the run of an idempotency key is gone')
  return run
}

function toCreated(run: NewRun) {
  return {
    type: runCreated,
    subject: {
      namespace: run.agent?.namespace ?? run.executor?.namespace,
      kind: 'Run',
      name: run.runId,
      namespaceUid: run.namespaceUid,
      uid: run.runId,
    },
    actor: run.actor,
    correlationId: run.parent?.root_run_id ?? run.runId,
    traceparent: run.traceparent,
    data: {
      runId: run.runId,
      agent: run.agent === undefined ? null : { ...run.agent, revision: null },
      ...(run.executor === undefined ? {} : { executor: run.executor.kind }),
      namespaceUid: run.namespaceUid,
      conversationId: run.conversationId,
      rootRunId: run.parent?.root_run_id ?? run.runId,
      parentRunId: run.parent?.id ?? null,
      trigger: run.trigger,
      subject: run.subject,
      traceId: run.traceparent.slice(3, 35),
      labels: run.labels,
    },
  }
}
