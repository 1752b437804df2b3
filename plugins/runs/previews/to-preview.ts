import { createRedactor } from '#core/guardrails/redactor.ts'
import type { Redactor } from '#core/guardrails/redactor.ts'
import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { toStorable } from '#schemas/values/storable-text.ts'
import { beginningOf } from './beginning.ts'
import type { PreviewRule } from './preview-rule.ts'

/** Longest preview, in characters. */
export const MAX_PREVIEW = 120
const MAX_READ = 8_192
// A cut text is redacted with what follows, so that no part of a secret or of a pattern remains at its end.
const MARGIN = 4_096
const MAX_REDACTORS = 100

/** One line of at most 120 characters: the beginning of a text, or of the JSON of another value. Null without a value, or if the rule hides it. */
export async function toPreview(value: unknown, rule: PreviewRule): Promise<string | null> {
  if (value === undefined || value === null || rule === 'hidden') return null
  const redactor = redactorOf(rule.redact)
  if (redactor === undefined) return null
  const { kept, isCut } = beginningOf(value, MAX_READ)
  const clean = await redactor.value(kept)
  const text = typeof clean === 'string' ? clean : JSON.stringify(clean)
  return toLine(isCut ? text.slice(0, Math.max(0, text.length - MARGIN)) : text, isCut)
}

// White space, control characters, and characters that reorder a line.
const gaps = /[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

function toLine(text: string, isCut: boolean): string {
  const line = toStorable(text.replace(gaps, ' ').trim())
  const characters = Array.from(line.slice(0, 2 * MAX_PREVIEW + 2))
  if (characters.length <= MAX_PREVIEW && !isCut) return line
  return `${characters.slice(0, MAX_PREVIEW - 1).join('')}…`
}

const redactors = new Map<string, Redactor | undefined>()

/** The redactor of these names, compiled once; undefined for names that cannot be applied. */
function redactorOf(names: readonly string[]): Redactor | undefined {
  const key = JSON.stringify(names)
  if (redactors.has(key)) return redactors.get(key)
  if (redactors.size >= MAX_REDACTORS) redactors.clear()
  const made = compile(names)
  redactors.set(key, made)
  return made
}

function compile(names: readonly string[]): Redactor | undefined {
  try {
    return createRedactor(names)
  } catch (error) {
    if (error instanceof PolicyProblem) return undefined
    throw error
  }
}
