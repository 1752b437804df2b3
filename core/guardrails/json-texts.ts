/** Deepest level of a value that is read; the door of runs refuses more. */
const maxDepth = 128

/** The texts, names of fields and numbers of a JSON value, in order, to be replaced. */
export class JsonTexts {
  /** Each as text. */
  readonly texts: readonly string[]
  readonly #value: unknown

  constructor(value: unknown) {
    const texts: string[] = []
    collect(value, texts, 0)
    this.texts = texts
    this.#value = value
  }

  /** The value with these texts in place of its own. What is nested too deeply is replaced by `tooDeep`. */
  replaced(texts: readonly string[], tooDeep: string): unknown {
    let at = 0
    const next = (): string => texts[at++] ?? tooDeep
    return replace(this.#value, { next, tooDeep }, 0)
  }
}

function collect(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'number') texts.push(String(value))
  else if (typeof value !== 'object' || value === null || depth >= maxDepth) return
  else if (Array.isArray(value)) for (const item of value) collect(item, texts, depth + 1)
  else
    for (const [key, item] of Object.entries(value)) {
      texts.push(key)
      collect(item, texts, depth + 1)
    }
}

interface Replacement {
  readonly next: () => string
  readonly tooDeep: string
}

function replace(value: unknown, by: Replacement, depth: number): unknown {
  if (typeof value === 'string') return by.next()
  if (typeof value === 'number') {
    const text = by.next()
    return text === String(value) ? value : text
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return by.tooDeep
  if (Array.isArray(value)) return value.map((item) => replace(item, by, depth + 1))
  // The name is read before its value, as they were collected.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [by.next() || key, replace(item, by, depth + 1)]),
  )
}
