/**
 * Registers a secret that this process has read or made, and gives it back: no line of its log carries it from here on. One set a
 * process, since what one part must not print, none may.
 */
export function conceal(value: string): string {
  processSecrets.add(value)
  return value
}

/** Values that must never be written; registered where a secret is read or made. */
export interface SecretValues {
  /** Remembers a value, the newest 1,000; shorter than 8 characters it would redact ordinary words. */
  add(value: string): void
  /** The text without any registered value. */
  redact(text: string): string
}

const LIMIT = 1000
const MIN_LENGTH = 8

/** The text that stands in a removed value's place. */
export const REDACTED = '[redacted]'

// Bearers of callers, too many to register: what looks like a JWT, and whatever follows the word of the header. Both match in linear time.
const tokens = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*|(?<=\bbearer )[A-Za-z0-9._~+/=-]{8,}/gi

/** An empty set of secret values. */
export function createSecretValues(): SecretValues {
  const values = new Set<string>()
  return {
    add: (value) => {
      // A line is JSON: a quote or newline of the value stands there escaped.
      for (const text of new Set([value, JSON.stringify(value).slice(1, -1)])) remember(values, text)
    },
    redact: (text) => {
      let clean = text.replaceAll(tokens, REDACTED)
      for (const value of values) {
        if (clean.includes(value)) clean = clean.replaceAll(value, REDACTED)
      }
      return clean
    },
  }
}

function remember(values: Set<string>, value: string): void {
  if (value.length < MIN_LENGTH) return
  values.delete(value)
  values.add(value)
  const [oldest] = values
  if (values.size > LIMIT && oldest !== undefined) values.delete(oldest)
}

/** The secrets of this process; a logger uses them unless it is given others. */
export const processSecrets = createSecretValues()
