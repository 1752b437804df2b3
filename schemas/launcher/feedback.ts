import { isStorable } from '../values/storable-text.ts'

/** Limits of a score, the same at port 2995, in the state role and in the API. */
export const scoreBounds = { name: 64, label: 256, comment: 4_000, number: 1e12 } as const

/** Name of a score that has none. */
export const DEFAULT_SCORE_NAME = 'feedback'

const scoreName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const traceId = /^(?!0{32}$)[0-9a-f]{32}$/

/** Pattern of the name of a score. */
export const SCORE_NAME_PATTERN = scoreName.source

/** Pattern of a W3C trace id; the trace id of zeros is not a trace. */
export const TRACE_ID_PATTERN = traceId.source

/** A number, a decision, or a label. */
export type ScoreValue = number | boolean | string

/** A score of a run: the body of port 2995 and of `POST /api/feedback`. Exactly one of `runId` and `traceId` is set. */
export interface FeedbackRequest {
  readonly runId?: string
  readonly traceId?: string
  readonly name?: string
  readonly value: ScoreValue
  readonly comment?: string
}

/** Whether a string is a valid name of a score. */
export function isScoreName(text: string): boolean {
  return scoreName.test(text)
}

/** Whether a string is a trace id in lowercase. */
export function isTraceId(text: string): boolean {
  return traceId.test(text)
}

/** Returns what is wrong with the value of a score, such as "must be true, false, a number or a string". */
export function scoreValueProblem(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined
  if (typeof value === 'number')
    return Math.abs(value) <= scoreBounds.number
      ? undefined
      : `must be a number from -${scoreBounds.number} to ${scoreBounds.number}`
  if (typeof value !== 'string') return 'must be true, false, a number or a string'
  return value === '' ? 'must not be empty' : textProblem(value, scoreBounds.label)
}

/** Returns what is wrong with a string to be stored. */
export function textProblem(text: string, most: number): string | undefined {
  if (text.length > most) return `must have at most ${most} characters`
  return isStorable(text) ? undefined : 'must not contain U+0000 or a lone surrogate'
}
