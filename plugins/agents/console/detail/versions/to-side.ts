import { stringify } from 'yaml'

/** A section of the spec that differs. */
export interface ChangedSection {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}

/** One side of a comparison as YAML; a section that it does not have is left out. Pure. */
export function toSide(sections: readonly ChangedSection[], side: 'from' | 'to'): string {
  const given = sections.filter((section) => section[side] !== undefined)
  if (given.length === 0) return ''
  return stringify(Object.fromEntries(given.map((section) => [fieldOf(section), section[side]])), { lineWidth: 0 })
}

// The path is the JSON pointer of a field of the spec, whose names need no escape.
function fieldOf({ path }: ChangedSection): string {
  return path.replace(/^\//, '')
}
