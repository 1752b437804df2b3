import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { findRevision, readLabels } from '#core/http/store/objects/revisions.ts'
import type { RevisionLabels } from '#core/http/store/objects/revisions.ts'
import { findStoredRow } from '#core/http/store/objects/stored-rows.ts'
import type { StoredKey, StoredRow } from '#core/http/store/objects/stored-rows.ts'
import type { PromptVersionFields } from '#schemas/api/prompts.ts'
import { promptResource } from '../contract/resources.ts'

/** A prompt with the versions of its labels. */
export interface FoundPrompt {
  readonly row: StoredRow
  readonly labels: RevisionLabels
}

/** Which version of a prompt is meant: a number, a label, or without both the default. */
export interface VersionChoice {
  readonly version?: number | undefined
  readonly label?: string | undefined
}

type Reads = Pick<Store, 'reader'>

/** Finds a prompt in a live namespace. */
export async function findPrompt(store: Reads, key: StoredKey): Promise<FoundPrompt | undefined> {
  const { names } = promptResource
  const db = store.reader()
  const row = await findStoredRow(db, names, key)
  return row && { row, labels: (await readLabels(db, names, [row.id])).get(row.id) ?? {} }
}

/** Number of the chosen version: `production`, else the latest one, unless a number or a label is given. Undefined for an unknown label. */
export function versionOf(found: FoundPrompt, choice: VersionChoice): number | undefined {
  const { version, label } = choice
  if (version !== undefined) return version
  const followed = labelOf(found, choice)
  if (followed !== undefined) return found.labels[followed]
  return label === undefined || label === 'latest' ? (found.row.revision ?? undefined) : undefined
}

/** The label that decides the version. Undefined if a number, the latest version or an unknown label is chosen. */
export function labelOf({ labels }: FoundPrompt, { version, label }: VersionChoice): string | undefined {
  if (version !== undefined || label === 'latest') return undefined
  const followed = label ?? promptResource.spec.revisions?.reads ?? ''
  return Object.hasOwn(labels, followed) ? followed : undefined
}

/** The fields of a version, or undefined if no version has that number. */
export async function findVersion(
  store: Reads,
  { row }: FoundPrompt,
  version: number,
): Promise<PromptVersionFields | undefined> {
  if (version === row.revision) return row.fields as PromptVersionFields
  const found = await findRevision(store.reader(), promptResource.names, row.id, version)
  return found?.fields as PromptVersionFields | undefined
}

/** The fields of a version by its number or label. Throws `not_found`, which names it. */
export async function versionAt(store: Reads, found: FoundPrompt, which: string): Promise<PromptVersionFields> {
  const choice = /^[1-9]\d{0,9}$/.test(which) ? { version: Number(which) } : { label: which }
  const version = versionOf(found, choice)
  const isInteger = version !== undefined && version <= 2_147_483_647
  const fields = isInteger ? await findVersion(store, found, version) : undefined
  if (fields === undefined) throw new Fail('not_found', `The prompt has no version or label ${which}.`)
  return fields
}
