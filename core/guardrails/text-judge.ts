import type { Finding, GuardOutcome, IsApproved, Stage } from './guard.ts'
import { isStopping, toFinding } from './rule-checks.ts'
import type { CompiledRule } from './rule-checks.ts'
import { TextDecision } from './text-decision.ts'
import type { DecidedPart, TextDecisionOptions } from './text-decision.ts'
import type { Mask } from './body/mask.ts'

/** Maximum length of a response that is checked as a whole. */
export const maxWhole = 65_536

/** Decisions since the last result. */
export interface JudgedText extends GuardOutcome {
  readonly parts: readonly DecidedPart[]
}

/** Decides on one text as it arrives: on each part, and on the whole if its form is checked. Ends at the first decision to stop. */
export class TextJudge {
  readonly #text: TextDecision
  readonly #stage: Stage
  readonly #isApproved: IsApproved
  readonly #outputs: readonly CompiledRule[]
  #whole = ''
  #ended = false
  #isFormChecked: boolean
  #stopped: CompiledRule | undefined
  #findings: Finding[] = []
  #parts: DecidedPart[] = []

  constructor(rules: readonly CompiledRule[], stage: Stage, judging: TextDecisionOptions = {}) {
    this.#text = new TextDecision(rules, stage, judging)
    this.#stage = stage
    this.#isApproved = judging.isApproved ?? (() => false)
    this.#outputs = rules.filter(({ output }) => output !== undefined)
    this.#isFormChecked = this.#outputs.length === 0
  }

  /** Whether nothing may be released before the end. */
  get holdsWhole(): boolean {
    return this.#outputs.length > 0
  }

  /** Number of characters that are not decided. */
  get undecided(): number {
    return this.#text.undecided
  }

  /** Adds text, also after an end: a field of a response may continue after another field. */
  push(text: string): void {
    this.#text.push(text)
    if (this.#ended) this.#isFormChecked = this.#outputs.length === 0 || this.#whole.length > maxWhole
    this.#ended = false
    if (this.#isFormChecked) return
    this.#whole += text
    // Longer than what may be held back, so that its end would come too late.
    if (this.#whole.length > maxWhole) this.#checkForm()
  }

  end(): void {
    this.#ended = true
    this.#text.end()
  }

  /** Decides on the next block. False if none has arrived, and after a stop. */
  step(): boolean {
    if (this.#stopped !== undefined) return false
    const part = this.#text.next()
    if (part === undefined) {
      if (this.#ended) this.#checkForm()
      return false
    }
    this.#findings.push(...part.findings)
    this.#stopped ??= part.stop
    this.#parts.push(part)
    return true
  }

  /** The result so far; the next one begins after it. */
  take(): JudgedText {
    const result = { findings: mergeFindings(this.#findings.splice(0)), parts: this.#parts.splice(0) }
    const stopped = this.#stopped
    if (stopped === undefined) return { ...result, decision: 'pass' }
    const decision = stopped.action === 'block' ? 'block' : 'require_approval'
    return { ...result, decision, by: toFinding(stopped, this.#stage, 1) }
  }

  #checkForm(): void {
    if (this.#isFormChecked) return
    this.#isFormChecked = true
    const whole = this.#whole
    const failed = this.#outputs.filter(({ output }) => whole.length > maxWhole || output?.(whole) === false)
    this.#findings.push(...failed.map((rule) => toFinding(rule, this.#stage, 1)))
    const stops = failed.filter((rule) => isStopping(rule, this.#stage, this.#isApproved))
    this.#stopped ??= stops.find(({ action }) => action === 'block') ?? stops[0]
  }
}

/** Joins the findings of each rule. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged = new Map<string, Finding>()
  for (const one of findings) {
    const key = `${one.policy} ${one.rule} ${one.stage}`
    merged.set(key, { ...one, count: one.count + (merged.get(key)?.count ?? 0) })
  }
  return [...merged.values()]
}

/** Returns the text with its masks applied. Overlapping masks count as one. */
export function withMasks(text: string, masks: readonly Mask[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text: mask } of [...masks].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= at) result += text.slice(at, start) + mask
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}
