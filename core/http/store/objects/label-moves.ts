import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { findRevision, insertMove, readLabels } from './revisions.ts'
import { updateStored } from './stored-rows.ts'
import type { StoredKey, StoredRow } from './stored-rows.ts'
import { appendStored, lockedObject } from './stored-writes.ts'
import type { Authorship, StoredUpdate } from './stored-writes.ts'

const MOST_LABELS = 100

/** A move of a label; null removes it. */
export interface NewMove extends StoredKey, Authorship, Pick<StoredUpdate, 'expect'> {
  readonly label: string
  readonly to: number | null
}

/** Moves a label to a revision with its event. Throws `not_found` for an unknown object or revision. A move to the same revision changes nothing. */
export async function moveLabelIn(
  tx: Tx,
  resource: StoredResource,
  { label, to, expect, by, at, ...key }: NewMove,
): Promise<StoredRow> {
  const { names, events } = resource
  const db = tx.tables()
  const found = await lockedObject(tx, resource, key)
  expect(found.version)
  const labels = (await readLabels(db, names, [found.id])).get(found.id) ?? {}
  const from = Object.hasOwn(labels, label) ? (labels[label] ?? null) : null
  if (from === to || events.labelMoved === undefined) return found
  if (to !== null && (await findRevision(db, names, found.id, to)) === undefined)
    throw new Fail('not_found', `${key.name} has no version ${to}.`)
  if (Object.keys(labels).length >= MOST_LABELS && from === null)
    throw new Fail(resource.errors.quota, `${key.name} has ${MOST_LABELS} labels, its maximum.`)
  await insertMove(db, names, found.id, { label, from_version: from, to_version: to, moved_at: at, moved_by: by })
  const row = await updateStored(db, names, found.id, { fields: found.fields, revision: found.revision, at, by })
  const data = { id: found.id, label, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
  await appendStored(tx, resource, { row, by, type: events.labelMoved, data })
  return row
}
