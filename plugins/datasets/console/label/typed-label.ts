import type { CaseLabel } from '../shared/shown-dataset.ts'

/** The type of a label. */
export type LabelType = CaseLabel['dataType']

/** What was typed of a label. */
export interface TypedLabel {
  readonly name: string
  readonly dataType: LabelType
  readonly value: string | boolean
  readonly comment: string
}

/** The body of a label, or what is wrong with its value. */
export type ReadLabel = { readonly body: object } | { readonly problem: 'number' | 'value' }

/** Reads what was typed. A correction that is JSON is its value; else it is the text. Pure. */
export function readLabel({ name, dataType, value, comment }: TypedLabel): ReadLabel {
  const words = String(value).trim()
  if (dataType === 'numeric' && (words === '' || !Number.isFinite(Number(words)))) return { problem: 'number' }
  if (words === '') return { problem: 'value' }
  const note = comment.trim()
  const read = toValue(dataType, words)
  return { body: { name: name.trim(), dataType, value: read, ...(note === '' ? {} : { comment: note }) } }
}

function toValue(dataType: LabelType, words: string): unknown {
  if (dataType === 'boolean') return words === 'true'
  if (dataType === 'numeric') return Number(words)
  return dataType === 'correction' ? toCorrection(words) : words
}

// Only objects and lists: a text may look like a number.
function toCorrection(words: string): unknown {
  if (!/^[[{]/.test(words)) return words
  try {
    return JSON.parse(words) as unknown
  } catch {
    return words
  }
}

/** The label of a case that a new one of this person replaces. Pure. */
export function ownLabel(
  labels: readonly CaseLabel[],
  { name, annotator }: { readonly name: string; readonly annotator: string },
): CaseLabel | undefined {
  return labels.find((label) => label.name === name && label.annotator === annotator)
}

/** The next case without a label: of those after this one, else of those before it. Pure. */
export function nextOpen(ids: readonly string[], at: string, labelled: ReadonlySet<string>): string | undefined {
  const place = ids.indexOf(at)
  return [...ids.slice(place + 1), ...ids.slice(0, Math.max(0, place))].find((id) => !labelled.has(id))
}

/** The rows around one, so that the list is never long. Pure. */
export function rowsAround<Row>(rows: readonly Row[], at: number, most = 60): readonly Row[] {
  const first = Math.max(0, Math.min(at - Math.floor(most / 3), rows.length - most))
  return rows.slice(first, first + most)
}
