import type { IsApproved, MaskGuard, MaskOutcome, Stage, StreamGuard, StreamOutcome } from './guard.ts'
import type { CompiledRule } from './rule-checks.ts'
import type { DecidedPart } from './text-decision.ts'
import { TextJudge } from './text-judge.ts'

/** Guards one text. It is scanned as it arrives; with a check of the output it is held until it is complete. */
export class TextGuard implements StreamGuard {
  readonly #judge: TextJudge
  #ready = ''
  #position = 0
  #ended = false

  constructor(rules: readonly CompiledRule[], stage: Stage, isApproved?: IsApproved) {
    this.#judge = new TextJudge(rules, stage, { isApproved })
  }

  push(text: string): StreamOutcome {
    this.#ended = false
    this.#judge.push(text)
    return this.#advance()
  }

  end(): StreamOutcome {
    this.#ended = true
    this.#judge.end()
    return this.#advance()
  }

  #advance(): StreamOutcome {
    while (this.#judge.step()) continue
    return this.#outcome()
  }

  #outcome(): StreamOutcome {
    const { parts, ...outcome } = this.#judge.take()
    for (const part of parts) this.#ready += this.#masked(part)
    return { ...outcome, release: outcome.decision === 'pass' ? this.#release() : '' }
  }

  #masked({ start, text, masks }: DecidedPart): string {
    let masked = ''
    for (const { start: from, end, text: replacement } of masks) {
      masked += text.slice(Math.max(0, this.#position - start), Math.max(0, from - start)) + replacement
      this.#position = end
    }
    const end = start + text.length
    if (this.#position >= end) return masked
    masked += text.slice(this.#position - start)
    this.#position = end
    return masked
  }

  // The halves of a character outside the basic plane are released together.
  #release(): string {
    if (this.#judge.holdsWhole && !this.#ended) return ''
    const held = !this.#ended && /[\uD800-\uDBFF]$/.test(this.#ready) ? 1 : 0
    const released = this.#ready.slice(0, this.#ready.length - held)
    this.#ready = this.#ready.slice(released.length)
    return released
  }
}

/** Creates a guard that reports masks by offset instead of releasing text. */
export function createMaskGuard(rules: readonly CompiledRule[], stage: Stage, isApproved?: IsApproved): MaskGuard {
  const judge = new TextJudge(rules, stage, { isApproved })
  const outcome = (): MaskOutcome => {
    while (judge.step()) continue
    const { parts, ...decided } = judge.take()
    return { ...decided, masks: parts.flatMap(({ masks }) => masks), undecided: judge.undecided }
  }
  return {
    push(text) {
      judge.push(text)
      return outcome()
    },
    end() {
      judge.end()
      return outcome()
    },
  }
}
