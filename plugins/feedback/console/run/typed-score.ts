/** What was typed of a score. */
export interface TypedScore {
  readonly kind: 'good' | 'bad' | 'score'
  readonly name: string
  readonly number: string
  readonly comment: string
}

const MOST = 1e12

/** Nothing typed. */
export const emptyScore: TypedScore = { kind: 'good', name: '', number: '', comment: '' }

/** The body of the request; undefined if the text is not a number. Empty fields are left out. Pure. */
export function toScoreBody(runId: string, { kind, name, number, comment }: TypedScore): object | undefined {
  const value = kind === 'score' ? readNumber(number) : kind === 'good'
  if (value === undefined) return undefined
  return {
    runId,
    value,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
  }
}

function readNumber(typed: string): number | undefined {
  const value = Number(typed.trim())
  return typed.trim() !== '' && Math.abs(value) <= MOST ? value : undefined
}
