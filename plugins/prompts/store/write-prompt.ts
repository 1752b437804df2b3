import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import { moveLabelIn } from '#core/http/store/objects/label-moves.ts'
import { deleteRevision, readLabels } from '#core/http/store/objects/revisions.ts'
import { updateStored } from '#core/http/store/objects/stored-rows.ts'
import type { StoredKey, StoredRow } from '#core/http/store/objects/stored-rows.ts'
import { appendStored, createStoredIn, lockedObject, updateStoredIn } from '#core/http/store/objects/stored-writes.ts'
import type { Authorship, StoredUpdate } from '#core/http/store/objects/stored-writes.ts'
import type { PromptContent, PromptVersionFields } from '#schemas/api/prompts.ts'
import { contentHashOf, toVersionFields } from '../content/check-content.ts'
import type { SentMoves } from '../content/read-body.ts'
import { promptErrors } from '../contract/errors.ts'
import { promptRevisionDeleted } from '../contract/events.ts'
import { promptResource } from '../contract/resources.ts'

/** A write to one prompt. `expect` compares the version of the row, and throws. */
export interface PromptWrite extends StoredKey, Authorship, Pick<StoredUpdate, 'expect'> {}

/** New content of a prompt. */
export interface ContentWrite extends PromptWrite {
  readonly content: PromptContent
  /** Labels to move to its version. */
  readonly labels: readonly string[]
}

/** Where a prompt is created that does not exist. */
export interface PromptHome {
  readonly namespaceUid: string
  readonly quota: number
}

/** A prompt, and whether it has a new version. */
export interface WrittenPrompt {
  readonly row: StoredRow
  readonly isNew: boolean
}

/** Appends a version to a prompt, unless its newest version has this content; then moves the labels. Throws `not_found`. */
export async function appendVersionIn(tx: Tx, { content, labels, ...write }: ContentWrite): Promise<WrittenPrompt> {
  const found = await lockedObject(tx, promptResource, write)
  write.expect(found.version)
  const isNew = (found.fields as PromptVersionFields).contentHash !== contentHashOf(content)
  const fields = toVersionFields(content, found.revision)
  const row = isNew ? await updateStoredIn(tx, promptResource, { ...write, fields }) : found
  return { row: await labelled(tx, { ...write, labels }, row), isNew }
}

/** Creates a prompt with its first version. Throws `prompt_version_exists`. */
export async function createPromptIn(
  tx: Tx,
  { content, labels, ...write }: ContentWrite,
  place: PromptHome,
): Promise<StoredRow> {
  const { expect: _, ...key } = write
  const made = await createStoredIn(tx, promptResource, { ...key, ...place, fields: toVersionFields(content, null) })
  return labelled(tx, { ...write, labels }, made)
}

async function labelled(
  tx: Tx,
  { labels, ...write }: Omit<ContentWrite, 'content'>,
  row: StoredRow,
): Promise<StoredRow> {
  const moves = new Map(labels.map((label) => [label, row.revision]))
  return moves.size === 0 ? row : moveLabelsIn(tx, { ...write, expect: () => undefined }, moves)
}

/** Moves labels of a prompt, each by its own event. Throws `not_found` for an unknown prompt or version. */
export async function moveLabelsIn(tx: Tx, { expect, ...write }: PromptWrite, moves: SentMoves): Promise<StoredRow> {
  let row = await lockedObject(tx, promptResource, write)
  expect(row.version)
  for (const [label, version] of moves) {
    const to = version === 'latest' ? row.revision : version
    row = await moveLabelIn(tx, promptResource, { ...write, label, to, expect: () => undefined })
  }
  return row
}

/** Deletes one version of a prompt. Throws `not_found`, and `prompt_in_use` if a label points to it; `latest` is one. */
export async function deleteVersionIn(tx: Tx, write: PromptWrite, revision: number): Promise<StoredRow> {
  const { names } = promptResource
  const db = tx.tables()
  const found = await lockedObject(tx, promptResource, write)
  write.expect(found.version)
  const labels = Object.entries((await readLabels(db, names, [found.id])).get(found.id) ?? {})
  const pointing = labels.filter(([, to]) => to === revision).map(([label]) => label)
  if (found.revision === revision) pointing.push('latest')
  if (pointing.length > 0)
    throw new Fail(promptErrors.prompt_in_use, `Version ${revision} has the label ${pointing.join(', ')}.`)
  if (!(await deleteRevision(db, names, found.id, revision)))
    throw new Fail('not_found', `${write.name} has no version ${revision}.`)
  const { fields, revision: newest } = found
  const row = await updateStored(db, names, found.id, { ...write, fields, revision: newest })
  await appendStored(tx, promptResource, {
    row,
    by: write.by,
    type: promptRevisionDeleted,
    data: { id: row.id, revision },
  })
  return row
}
