import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import { insertKeyed } from '#core/http/store/keyed-row.ts'
import type { FoundRun, RunsApi } from '#plugins/runs/contract/api.ts'
import { sharingErrors } from '../contract/errors.ts'
import { shareCreated } from '../contract/events.ts'
import type { Redaction } from '../redact/effective-redaction.ts'
import type { RedactedRun } from '../redact/redact-run.ts'
import type { SharingSettings } from '../contract/settings.ts'
import { countShares, insertSnapshot, readTimes, replaceToken } from '../store/shares.ts'
import type { ShareTimes } from '../store/shares.ts'
import type { SelectedShare, SharingTables } from '../contract/tables.ts'
import { shareUsage } from '../store/usage.ts'
import { createToken, hashToken } from './token.ts'

/** Dependencies of `recordShare`. */
export interface RecordShareServices {
  readonly store: Store
  readonly runs: Pick<RunsApi, 'lockIn'>
  readonly settings: SharingSettings
}

/** A share of a run that its creator may share. */
export interface ShareToRecord {
  readonly run: FoundRun
  readonly createdBy: string
  readonly validMs: number
  readonly maxViews: number | null
  readonly redaction: Pick<Redaction, 'content' | 'reason'>
  readonly shown: RedactedRun
  readonly idempotency: Idempotency | undefined
}

/** A stored share with its token, which is shown once. */
export interface RecordedShare {
  readonly id: string
  readonly token: string
  readonly expiresAt: Date
  readonly redaction: Pick<Redaction, 'content' | 'reason'>
  /** The share existed: a repeat with its idempotency key, after the response was lost. */
  readonly repeated: boolean
}

/**
 * Stores a share with its snapshot and its event, under a new token. A repeat with the same idempotency key replaces the token of the first request:
 * its response was lost, and the token with it. Throws `not_found` for a removed run, `share_quota_exceeded`, `idempotency_conflict`.
 */
export function recordShare(services: RecordShareServices, share: ShareToRecord): Promise<RecordedShare> {
  const token = createToken()
  return services.store.transact((tx) => recordIn(services, tx, { ...share, token }))
}

type WithToken = ShareToRecord & { readonly token: string }

async function recordIn(services: RecordShareServices, tx: Tx, share: WithToken): Promise<RecordedShare> {
  const { run, token, redaction, idempotency } = share
  const db = tx.tables<SharingTables>()
  // Retention removes the run under the same lock, and then its shares.
  if (!(await services.runs.lockIn(tx, run.id))) throw new Fail('not_found')
  const id = uuidV7()
  const times = await readTimes(db, share.validMs)
  const head = toHead(share, times)
  const events = JSON.stringify(share.shown.events)
  const bytes = Buffer.byteLength(head) + Buffer.byteLength(events)
  const values = {
    id,
    token_hash: hashOf(token),
    namespace: run.namespace,
    namespace_uid: run.namespaceUid,
    run_id: run.id,
    agent_name: run.agent,
    created_by: share.createdBy,
    created_at: times.createdAt,
    expires_at: times.expiresAt,
    max_views: share.maxViews,
    content: redaction.content,
    content_reason: redaction.reason,
    bytes: BigInt(bytes),
  }
  const made = await insertKeyed<SelectedShare>(tx.tables(), { table: 'sharing_shares', values, idempotency })
  if (made === undefined) throw new Error('the token of a share was repeated')
  if (made.repeated) return repeat(tx, token, made.row)
  await checkQuotas(services, tx, { run, bytes })
  await insertSnapshot(db, { share_id: id, head, events })
  await appendCreated(tx, share, { id, expiresAt: times.expiresAt })
  return { id, token, expiresAt: times.expiresAt, redaction, repeated: false }
}

function toHead({ shown: { run, tree, truncated }, redaction }: ShareToRecord, times: ShareTimes): string {
  const { content, reason } = redaction
  const [sharedAt, expiresAt] = [times.createdAt.toISOString(), times.expiresAt.toISOString()]
  return JSON.stringify({ run, tree, sharedAt, expiresAt, redaction: { content, reason }, truncated })
}

function hashOf(token: string): Buffer {
  const hash = hashToken(token)
  if (hash === undefined) throw new Error('a new token has the wrong form')
  return hash
}

async function repeat(tx: Tx, token: string, found: SelectedShare): Promise<RecordedShare> {
  await replaceToken(tx.tables<SharingTables>(), found.id, hashOf(token))
  const { id, expires_at: expiresAt, content, content_reason: reason } = found
  return { id, token, expiresAt, redaction: { content, reason }, repeated: true }
}

async function checkQuotas(
  { settings }: RecordShareServices,
  tx: Tx,
  { run, bytes }: { readonly run: FoundRun; readonly bytes: number },
): Promise<void> {
  const { sharesPerRun, sharesPerNamespace, storedBytesPerNamespace } = settings
  const db = tx.tables<SharingTables>()
  const used = await shareUsage.add(db, run.namespaceUid, { shares: 1, bytes })
  if ((await countShares(db, run.id)) > sharesPerRun)
    throw tooMany(`The run has ${sharesPerRun} shares`, 'sharesPerRun')
  if (used.shares > sharesPerNamespace)
    throw tooMany(`Namespace ${run.namespace} has ${sharesPerNamespace} shares`, 'sharesPerNamespace')
  if (used.bytes > storedBytesPerNamespace)
    throw tooMany(
      `The shares of namespace ${run.namespace} would store ${used.bytes} bytes, the limit is ${storedBytesPerNamespace}`,
      'storedBytesPerNamespace',
    )
}

function tooMany(what: string, setting: keyof SharingSettings): Fail {
  return new Fail(
    sharingErrors.share_quota_exceeded,
    `${what} (setting sharing.${setting}). Shares are removed when they expire or are revoked.`,
  )
}

async function appendCreated(
  tx: Tx,
  { run, createdBy, maxViews, redaction }: ShareToRecord,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: Date },
): Promise<void> {
  const data = { shareId: id, runId: run.id, expiresAt: expiresAt.toISOString(), maxViews, content: redaction.content }
  const event = { type: shareCreated, actor: accountActor(createdBy), subject: subjectOfShare(run, id), data }
  await tx.append(`sharing/${id}`, 'any', [event])
}

/** Subject of the events of a share. */
export function subjectOfShare(run: Pick<FoundRun, 'namespace' | 'namespaceUid'>, id: string) {
  return { namespace: run.namespace, namespaceUid: run.namespaceUid, kind: 'RunShare', name: id, uid: id }
}
