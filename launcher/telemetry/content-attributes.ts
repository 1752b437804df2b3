import { createPause } from '#core/async/time-slice.ts'
import { isSecretName } from '#core/guardrails/detectors/secret-names.ts'
import type { Redact } from '#core/guardrails/redactor.ts'
import { REDACTED } from '#core/log/secrets.ts'
import { genAi } from '#core/otlp/gen-ai.ts'
import { spanBounds } from '#core/otlp/span.ts'
import type { OtlpAttributes } from '#core/otlp/span.ts'
import type { SpanContent } from '#core/telemetry/span-content.ts'
import { toStorable } from '#schemas/values/storable-text.ts'

/** Bound of one attribute as JSON: the state role cuts longer strings, which would no longer be JSON. */
export const MAX_CONTENT_CHARS = spanBounds.text
// A cut string is redacted with what follows, so that no part of a secret or of a pattern remains at its end.
const MARGIN = 4_096
const MAX_MEMBERS = 256
const MAX_DEPTH = 16
// A shorter rest would show a message without its text.
const LEAST = 128
/** Length of the punctuation of a member. */
const FRAME = 4

/** Redacts and bounds content for the attributes of its span. Newest messages are kept. Yields to the event loop. */
export async function toContentAttributes(content: SpanContent, redact: Redact): Promise<OtlpAttributes> {
  const pause = createPause()
  const attributes: Record<string, string | boolean> = {}
  const fields = [
    [genAi.systemInstructions, content.system],
    [genAi.inputMessages, content.input],
    [genAi.outputMessages, content.output],
    [genAi.toolArguments, content.arguments],
    [genAi.toolResult, content.result],
  ] as const
  for (const [key, value] of fields) {
    if (value === undefined) continue
    const copy = new BoundedCopy(redact, pause)
    const isMessages = key === genAi.inputMessages
    const json = JSON.stringify(isMessages ? await copy.newest(value) : await copy.of(value)) ?? 'null'
    attributes[key] = json.length > MAX_CONTENT_CHARS ? '[]' : json
    if (copy.isCut || json.length > MAX_CONTENT_CHARS) attributes[genAi.isContentCut] = true
  }
  return attributes
}

/** A redacted copy of a value, of at most `MAX_CONTENT_CHARS` characters as JSON. */
class BoundedCopy {
  isCut = false
  // Without the brackets of the value, and the empty strings at its end.
  #left = MAX_CONTENT_CHARS - 64
  readonly #redact: Redact
  readonly #pause: () => Promise<void> | undefined

  constructor(redact: Redact, pause: () => Promise<void> | undefined) {
    this.#redact = redact
    this.#pause = pause
  }

  /** Copies a list from its end. */
  async newest(list: readonly unknown[]): Promise<readonly unknown[]> {
    const kept: unknown[] = []
    for (const item of list.toReversed()) {
      if (!this.#takes(LEAST)) break
      this.#left += LEAST
      kept.push(await this.of(item))
    }
    return kept.toReversed()
  }

  async of(value: unknown, depth = 0): Promise<unknown> {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number' || typeof value === 'bigint') return this.#number(value)
    if (typeof value === 'boolean' || value === null) return this.#takes(FRAME) ? value : null
    if (typeof value !== 'object') return undefined
    if (depth === MAX_DEPTH || Object.keys(value).length > MAX_MEMBERS) this.isCut = true
    if (depth === MAX_DEPTH) return null
    return Array.isArray(value) ? this.#list(value, depth) : this.#fields(value, depth)
  }

  async #list(list: readonly unknown[], depth: number): Promise<unknown[]> {
    const items: unknown[] = []
    for (const item of list.slice(0, MAX_MEMBERS)) {
      if (!this.#takes(FRAME)) break
      items.push(await this.of(item, depth + 1))
    }
    return items
  }

  async #fields(given: object, depth: number): Promise<object> {
    const fields: [string, unknown][] = []
    for (const [key, value] of Object.entries(given).slice(0, MAX_MEMBERS)) {
      if (value === undefined) continue
      const name = this.#redact(key)
      if (!this.#takes(JSON.stringify(name).length + FRAME)) break
      const isSecret = typeof value !== 'boolean' && value !== null && isSecretName(key)
      fields.push([name, isSecret ? this.#cut(REDACTED) : await this.of(value, depth + 1)])
    }
    return Object.fromEntries(fields)
  }

  async #text(text: string): Promise<string> {
    const turn = this.#pause()
    if (turn !== undefined) await turn
    const most = this.#left + MARGIN
    const isSliced = text.length > most
    const clean = this.#redact(isSliced ? text.slice(0, most) : text)
    return this.#cut(isSliced ? clean.slice(0, Math.max(0, clean.length - MARGIN)) : clean, isSliced)
  }

  #number(value: number | bigint): unknown {
    const text = String(value)
    const clean = this.#redact(text)
    if (clean !== text || typeof value === 'bigint') return this.#cut(clean)
    return this.#takes(text.length) ? value : null
  }

  // Escapes make a string longer as JSON.
  #cut(text: string, isCut = false): string {
    let kept = toStorable(text)
    for (let size = sizeOf(kept); size > this.#left && kept !== ''; size = sizeOf(kept))
      kept = kept.slice(0, Math.floor((kept.length * Math.max(0, this.#left - 2)) / size))
    if (isCut || kept.length < text.length) this.isCut = true
    kept = toStorable(kept)
    this.#left = Math.max(0, this.#left - sizeOf(kept))
    return kept
  }

  #takes(chars: number): boolean {
    const fits = chars <= this.#left
    if (fits) this.#left -= chars
    else this.isCut = true
    return fits
  }
}

function sizeOf(text: string): number {
  return JSON.stringify(text).length
}
