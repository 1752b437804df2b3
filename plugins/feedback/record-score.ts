import type { Static } from 'typebox'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import { insertKeyed } from '#core/http/store/keyed-row.ts'
import type { FoundRun, RunReference, RunsApi } from '#plugins/runs/contract/api.ts'
import { DEFAULT_SCORE_NAME } from '#schemas/launcher/feedback.ts'
import type { FeedbackRequest } from '#schemas/launcher/feedback.ts'
import { feedbackErrors } from './contract/errors.ts'
import { scoreRecorded } from './contract/events.ts'
import type { feedbackSettings } from './contract/settings.ts'
import { countScore } from './store/scores.ts'
import type { FeedbackTables, SelectedScore } from './contract/tables.ts'

/** Dependencies of `recordScore`. */
export interface RecordServices {
  readonly store: Store
  readonly runs: Pick<RunsApi, 'lockIn' | 'markRatedIn'>
  readonly settings: Static<typeof feedbackSettings>
  readonly now: () => Date
  readonly counted: (labels: { readonly source: string; readonly outcome: string }) => void
}

/** A score of a run that its author may score. */
export interface NewScore {
  readonly run: FoundRun
  readonly request: FeedbackRequest
  readonly source: 'agent' | 'person'
  readonly author: string
  readonly idempotency?: Idempotency | undefined
}

/** The run of a request; throws `invalid_body` unless exactly one of `runId` and `traceId` is set. */
export function toReference({ runId, traceId }: FeedbackRequest): RunReference {
  if (runId !== undefined && traceId === undefined) return { runId }
  if (traceId !== undefined && runId === undefined) return { traceId }
  const detail = runId === undefined ? 'or /traceId is required' : 'and /traceId are mutually exclusive'
  throw new Fail('invalid_body', undefined, { errors: [{ pointer: '/runId', detail }] })
}

/**
 * Stores a score with its event and returns its id. A repeat with the same idempotency key returns the id of the first. Throws
 * `not_found` for a removed run, `too_many_scores` above a quota.
 */
export async function recordScore(services: RecordServices, score: NewScore): Promise<string> {
  const { source } = score
  try {
    const { id, repeated } = await services.store.transact((tx) => recordIn(services, tx, score))
    services.counted({ source, outcome: repeated ? 'repeated' : 'recorded' })
    return id
  } catch (error) {
    if (error instanceof Fail) services.counted({ source, outcome: 'refused' })
    throw error
  }
}

async function recordIn(
  { runs, settings, now }: RecordServices,
  tx: Tx,
  { run, request, source, author, idempotency }: NewScore,
): Promise<{ readonly id: string; readonly repeated: boolean }> {
  const db = tx.tables<FeedbackTables>()
  // Retention removes the run under the same lock, and then its scores.
  if (!(await runs.lockIn(tx, run.id))) throw new Fail('not_found')
  await runs.markRatedIn(tx, run.id)
  const values = {
    id: uuidV7(),
    namespace: run.namespace,
    namespace_uid: run.namespaceUid,
    run_id: run.id,
    trace_id: run.traceId,
    agent_name: run.agent,
    name: request.name ?? DEFAULT_SCORE_NAME,
    value: JSON.stringify(request.value),
    comment: request.comment ?? null,
    source,
    created_by: author,
    created_at: now(),
    of_evaluation: run.trigger === 'eval',
  }
  const made = await insertKeyed<SelectedScore>(tx.tables(), { table: 'feedback_scores', values, idempotency })
  if (made === undefined) throw new Error('the id of a score was repeated')
  const { row, repeated } = made
  if (repeated) return { id: row.id, repeated }
  const { ofNamespace, ofRun } = await countScore(db, row)
  if (ofRun > settings.scoresPerRun) throw tooMany(`The run has ${settings.scoresPerRun} scores.`)
  if (ofNamespace > settings.scoresPerNamespace)
    throw tooMany(`Namespace ${run.namespace} has ${settings.scoresPerNamespace} scores.`)
  const { id, name } = row
  const subject = { namespace: run.namespace, namespaceUid: run.namespaceUid, kind: 'Run', name: run.id, uid: run.id }
  const data = { scoreId: id, runId: run.id, traceId: run.traceId, name, source }
  await tx.append(`feedback/${run.id}`, 'any', [{ type: scoreRecorded, actor: accountActor(author), subject, data }])
  return { id, repeated }
}

function tooMany(detail: string): Fail {
  return new Fail(feedbackErrors.too_many_scores, detail)
}
