import { isSecretName } from './detectors/secret-names.ts'

/** Deepest level of a value that is read; the door of runs refuses more. */
const maxDepth = 128

/** What of a JSON value is read as text. */
export interface JsonTextsOptions {
  /** Names of fields and numbers stay as they are. */
  readonly keepShape: boolean
}

/** The texts of a JSON value, with names of fields and numbers unless its shape is kept, in order, to be replaced. Credentials are left out. */
export class JsonTexts {
  /** Each as text. */
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

  /** The value with these texts in place of its own. Credentials, and what is nested too deeply, are replaced by `removed`. */
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

// The name is read before its value, as they were collected.
function replaceField([key, item]: readonly [string, unknown], by: Replacement, depth: number): [string, unknown] {
  const name = by.keepShape ? key : by.next() || key
  return [name, isCredential(key, item) ? by.removed : replace(item, by, depth + 1)]
}

function isCredential(field: string, value: unknown): boolean {
  return typeof value === 'string' && isSecretName(field)
}
