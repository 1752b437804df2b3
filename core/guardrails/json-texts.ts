import { isSecretName } from './detectors/secret-names.ts'

/** Maximum depth of a value that is read; entries of runs with deeper values are refused. */
const maxDepth = 128

/** Selects the parts of a JSON value that are read as text. */
export interface JsonTextsOptions {
  /** Names of fields and numbers stay as they are. */
  readonly keepShape: boolean
}

/** The strings of a JSON value in order, to be replaced. Field names and numbers are included unless the shape is kept; credentials are omitted. */
export class JsonTexts {
  /** Field names and numbers are strings, too. */
  readonly texts: readonly string[]
  readonly #value: unknown
  readonly #keepShape: boolean

  constructor(value: unknown, { keepShape }: JsonTextsOptions) {
    const texts: string[] = []
    collect(value, { keepShape, add: (text) => texts.push(text) }, 0)
    this.texts = texts
    this.#value = value
    this.#keepShape = keepShape
  }

  /** Returns the value with these strings in place of its own. Credentials and values nested too deeply are replaced by `removed`. */
  replaced(texts: readonly string[], removed: string): unknown {
    let at = 0
    const next = (): string => texts[at++] ?? removed
    return replace(this.#value, { next, removed, keepShape: this.#keepShape }, 0)
  }
}

interface Collection extends JsonTextsOptions {
  readonly add: (text: string) => void
}

function collect(value: unknown, of: Collection, depth: number): void {
  if (typeof value === 'string') of.add(value)
  else if (typeof value === 'number' && !of.keepShape) of.add(String(value))
  else if (typeof value !== 'object' || value === null || depth >= maxDepth) return
  else if (Array.isArray(value)) for (const item of value) collect(item, of, depth + 1)
  else
    for (const [key, item] of Object.entries(value)) {
      if (!of.keepShape) of.add(key)
      if (!isCredential(key, item)) collect(item, of, depth + 1)
    }
}

interface Replacement extends JsonTextsOptions {
  readonly next: () => string
  readonly removed: string
}

function replace(value: unknown, by: Replacement, depth: number): unknown {
  if (typeof value === 'string') return by.next()
  if (typeof value === 'number' && !by.keepShape) {
    const text = by.next()
    return text === String(value) ? value : text
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return by.removed
  if (Array.isArray(value)) return value.map((item) => replace(item, by, depth + 1))
  return Object.fromEntries(Object.entries(value).map((field) => replaceField(field, by, depth)))
}

// The name is read before its value, in the order of collection.
function replaceField([key, item]: readonly [string, unknown], by: Replacement, depth: number): [string, unknown] {
  const name = by.keepShape ? key : by.next() || key
  return [name, isCredential(key, item) ? by.removed : replace(item, by, depth + 1)]
}

function isCredential(field: string, value: unknown): boolean {
  return typeof value === 'string' && isSecretName(field)
}
