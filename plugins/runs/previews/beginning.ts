// Deeper values begin beyond the end of every preview.
const MAX_DEPTH = 120
/** Length of the punctuation of a member, or of another value than a string. */
const FRAME = 4

/** The beginning of a JSON value, and whether something was left out. */
export interface Beginning {
  readonly kept: unknown
  readonly isCut: boolean
}

/** Copies about the first `most` characters of a JSON value: a run's input may have megabytes. Pure. */
export function beginningOf(value: unknown, most: number): Beginning {
  const copy = new Copy(most)
  const kept = copy.of(value, 0)
  return { kept, isCut: copy.isCut }
}

class Copy {
  isCut = false
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value)
    this.#left -= FRAME
    if (typeof value !== 'object' || value === null) return value
    if (depth >= MAX_DEPTH) return null
    return Array.isArray(value) ? this.#items(value, depth) : this.#fields(value, depth)
  }

  #text(text: string): string {
    const kept = text.slice(0, Math.max(0, this.#left))
    if (kept.length < text.length) this.isCut = true
    this.#left -= kept.length + FRAME
    return kept
  }

  #items(items: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = []
    for (const item of items) {
      if (!this.#hasRoom()) break
      kept.push(this.of(item, depth + 1))
    }
    return kept
  }

  // Names are cut like texts.
  #fields(value: object, depth: number): object {
    const kept: [string, unknown][] = []
    for (const [name, field] of Object.entries(value)) {
      if (!this.#hasRoom()) break
      kept.push([this.#text(name), this.of(field, depth + 1)])
    }
    return Object.fromEntries(kept)
  }

  #hasRoom(): boolean {
    if (this.#left <= 0) this.isCut = true
    return this.#left > 0
  }
}
