import { GROUP } from '#schemas/names/group.ts'
import type { StoredSpec } from './stored-spec.ts'

/** Names that follow from the declaration of a stored resource. */
export interface StoredNames {
  readonly plugin: string
  readonly kind: string
  readonly plural: string
  /** Resource in rights: the plural, with the group of a third party. */
  readonly resource: string
  readonly table: string
}

/** Names of a stored resource. The table begins with the prefix of its plugin's tables. */
export function namesOf({ domain, plugin, kind, plural, group = GROUP }: StoredSpec): StoredNames {
  const owner = plugin.replaceAll('-', '_')
  const table = `${domain === undefined ? '' : 'x_'}${owner}_${plural}`
  return { plugin, kind, plural, resource: group === GROUP ? plural : `${plural}.${group}`, table }
}

/** A subresource in rights: `datasets/labels`, `datasets.acme.example/labels`. */
export function subresourceOf({ resource }: StoredNames, step: string): string {
  return `${resource}/${step}`
}

/** A kind in another case: `CaseLabel` with `-` is `case-label`. */
export function joinedWords(kind: string, separator: string): string {
  return kind.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => separator + letter).toLowerCase()
}

// PostgreSQL cuts longer names, and two tables could get the same one.
const MAX_TABLE_NAME = 63

/** Throws `TypeError` if the name of a table would be too long. */
export function checkTableNames(names: StoredNames, steps: readonly string[]): void {
  const tables = [tablesOf.revisions(names), ...steps.map((step) => tablesOf.child(names, step))]
  const long = tables.find((table) => table.length > MAX_TABLE_NAME)
  if (long !== undefined)
    throw new TypeError(
      `stored resource ${names.plural}: its table ${long} would have a name of more than ${MAX_TABLE_NAME} characters`,
    )
}

/** Tables of a stored resource besides its own. */
export const tablesOf = {
  usage: ({ table }: StoredNames): string => `${table}_usage`,
  revisions: ({ table }: StoredNames): string => `${table}_revisions`,
  moves: ({ table }: StoredNames): string => `${table}_moves`,
  child: ({ table }: StoredNames, step: string): string => `${table}_${step}`,
}
