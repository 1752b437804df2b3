import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** An id used in tests, comments and documents. */
export interface Requirement {
  readonly id: string
  readonly group: string
  readonly text: string
  /** Why no test names the id. */
  readonly untested?: string
}

interface Group {
  readonly title: string
  readonly ids: Readonly<Record<string, string | { readonly text: string; readonly untested: string }>>
}

/** One id: of a requirement (`K1`, `M-2`) or of a review's finding (`SEC4`, `PODA1`, `R2-M1`). */
export const idPattern = String.raw`(?:R2-(?:UX-|CL-|HO-|LA-|[MNCP])|SEC|PODS|PODA|CON|UX[HML]|M-|[A-FHKMOPSX])[1-9]\d?`

/** Reads scripts/requirements/requirements.yaml in its order. Throws for a duplicate id. */
export function readTable(): Requirement[] {
  const groups = parse(readFileSync(new URL('requirements.yaml', import.meta.url), 'utf8')) as readonly Group[]
  const table = groups.flatMap(({ title, ids }) =>
    Object.entries(ids).map(([id, entry]) => ({
      id,
      group: title,
      ...(typeof entry === 'string' ? { text: entry } : entry),
    })),
  )
  for (const [at, { id }] of table.entries()) {
    if (!new RegExp(`^${idPattern}$`).test(id)) throw new Error(`requirements.yaml: ${id} is not an id`)
    if (table.findIndex((other) => other.id === id) !== at) throw new Error(`requirements.yaml: ${id} appears twice`)
  }
  return table
}
