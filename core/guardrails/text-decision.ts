import type { Finding, IsApproved, Stage } from './guard.ts'
import { isStopping, toFinding } from './rule-checks.ts'
import type { CompiledRule } from './rule-checks.ts'
import { TextScan } from './text-scan.ts'
import type { TextSpan } from './reading-scan.ts'
import type { Mask } from './body/mask.ts'

/** Decisions on the next part of a text. */
export interface DecidedPart {
  /** Original text that was decided, with its offset. */
  readonly start: number
  readonly text: string
  /** Masks in order, without overlap; the last one may extend beyond the part. */
  readonly masks: readonly Mask[]
  /** The first match of a rule that blocks, or else of one that requires an approval which is missing. */
  readonly stop: CompiledRule | undefined
  readonly findings: readonly Finding[]
}

/** Options of judging a text. */
export interface TextDecisionOptions {
  readonly isApproved?: IsApproved | undefined
  readonly decodes?: boolean
}

/** The rules on one text: scans it, merges overlapping masks, and counts matches. */
export class TextDecision {
  readonly #rules: readonly CompiledRule[]
  readonly #stage: Stage
  readonly #isApproved: IsApproved
  readonly #scan: TextScan
  #masked = 0
  #last = false

  /** `decodes`: false for a text without anything in an encoding. */
  constructor(
    rules: readonly CompiledRule[],
    stage: Stage,
    { isApproved = () => false, decodes = true }: TextDecisionOptions = {},
  ) {
    this.#isApproved = isApproved
    this.#rules = rules.filter(({ detector }) => detector !== undefined)
    this.#stage = stage
    this.#scan = new TextScan(
      this.#rules.flatMap(({ detector = [] }) => detector),
      { decodes },
    )
  }

  /** Maximum number of characters that are not decided. */
  get lookBack(): number {
    return this.#rules.length === 0 ? 0 : this.#scan.lookBack
  }

  /** Number of characters that are not decided. */
  get undecided(): number {
    return this.#rules.length === 0 ? 0 : this.#scan.length - this.#scan.decided
  }

  push(text: string): void {
    this.#last = false
    this.#scan.push(text)
  }

  end(): void {
    this.#last = true
  }

  /** Decides the next part; undefined if its text has not arrived. */
  next(): DecidedPart | undefined {
    const block = this.#scan.next(this.#last)
    if (block === undefined) return undefined
    const { start, text, spans } = block
    const stops = spans
      .flatMap(({ rule }) => this.#rules[rule] ?? [])
      .filter((rule) => isStopping(rule, this.#stage, this.#isApproved))
    const stop = stops.find(({ action }) => action === 'block') ?? stops[0]
    return { start, text, masks: this.#masksOf(spans), stop, findings: this.#findingsOf(spans) }
  }

  // A mask replaces what no earlier one covers, so that the result does not depend on how far the text has been released.
  #masksOf(spans: readonly TextSpan[]): readonly Mask[] {
    return spans.flatMap(({ rule, start, end, continued }): readonly Mask[] => {
      const { action, mask = '' } = this.#rules[rule] ?? {}
      if (action !== 'mask' || end <= this.#masked) return []
      const isNew = start >= this.#masked && !continued
      const from = Math.max(start, this.#masked)
      this.#masked = end
      return [{ start: from, end, text: isNew ? mask : '' }]
    })
  }

  #findingsOf(spans: readonly TextSpan[]): readonly Finding[] {
    const counts = new Map<number, number>()
    for (const { rule, continued } of spans) if (!continued) counts.set(rule, (counts.get(rule) ?? 0) + 1)
    return [...counts].flatMap(([index, count]) => {
      const rule = this.#rules[index]
      return rule === undefined ? [] : [toFinding(rule, this.#stage, count)]
    })
  }
}
