import type { Finding, GuardOutcome, Stage, StreamGuard, StreamOutcome } from './guard.ts'
import { toFinding } from './rule-checks.ts'
import type { CompiledRule } from './rule-checks.ts'
import { TextDecision } from './text-decision.ts'
import type { DecidedPart } from './text-decision.ts'

/** Maximum length of an answer that is checked as a whole. */
export const maxWhole = 65_536

/** Guards one text. It is scanned as it arrives; with a check of the output it is held until it is complete. */
export class TextGuard implements StreamGuard {
  readonly #text: TextDecision
  readonly #stage: Stage
  readonly #outputs: readonly CompiledRule[]
  #approved: boolean
  #whole = ''
  #ready = ''
  #position = 0
  #ended = false
  #stopped: CompiledRule | undefined
  #findings: Finding[] = []

  constructor(rules: readonly CompiledRule[], stage: Stage, approved = false) {
    this.#text = new TextDecision(rules, stage)
    this.#stage = stage
    this.#outputs = rules.filter(({ output }) => output !== undefined)
    this.#approved = approved
  }

  push(text: string): StreamOutcome {
    this.#add(text)
    return this.#advance()
  }

  end(): StreamOutcome {
    this.#ended = true
    this.#text.end()
    return this.#advance()
  }

  approve(): StreamOutcome {
    this.#approved = true
    if (this.#stopped?.action === 'require_approval') this.#stopped = undefined
    return this.#advance()
  }

  /** As push and end, with a call of `pause` after each block. */
  async whole(text: string, pause: () => Promise<void> | undefined): Promise<StreamOutcome> {
    this.#add(text)
    this.#ended = true
    this.#text.end()
    while (this.#step()) await pause()
    return this.#outcome()
  }

  #add(text: string): void {
    this.#text.push(text)
    if (this.#outputs.length > 0 && this.#whole.length <= maxWhole) this.#whole += text
  }

  #advance(): StreamOutcome {
    while (this.#step()) continue
    return this.#outcome()
  }

  // One block. After a stop nothing more is decided.
  #step(): boolean {
    if (this.#stopped !== undefined) return false
    const part = this.#text.next()
    if (part === undefined) {
      if (this.#ended) this.#checkOutput()
      return false
    }
    this.#findings.push(...part.findings)
    this.#stopAt(part.stop)
    this.#ready += this.#masked(part)
    return true
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

  #checkOutput(): void {
    const failed = this.#outputs.filter(
      ({ output }) => this.#whole.length > maxWhole || output?.(this.#whole) === false,
    )
    this.#findings.push(...failed.map((rule) => toFinding(rule, this.#stage, 1)))
    this.#stopAt(failed.find(({ action }) => action === 'block') ?? failed.find(({ action }) => action !== 'allow'))
  }

  #stopAt(rule: CompiledRule | undefined): void {
    if (rule === undefined || (rule.action === 'require_approval' && this.#approved)) return
    this.#stopped ??= rule
  }

  #outcome(): StreamOutcome {
    const findings = mergeFindings(this.#findings.splice(0))
    const stopped = this.#stopped
    if (stopped === undefined) return { decision: 'pass', findings, release: this.#release() }
    const decision: GuardOutcome['decision'] = stopped.action === 'block' ? 'block' : 'require_approval'
    return { decision, by: toFinding(stopped, this.#stage, 1), findings, release: '' }
  }

  // The halves of a character outside the basic plane are released together.
  #release(): string {
    if (this.#outputs.length > 0 && !this.#ended) return ''
    const held = !this.#ended && /[\uD800-\uDBFF]$/.test(this.#ready) ? 1 : 0
    const released = this.#ready.slice(0, this.#ready.length - held)
    this.#ready = this.#ready.slice(released.length)
    return released
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
