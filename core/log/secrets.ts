/** Registers a secret that this process has read or created, and returns it. From then on no log line of the process contains it. */
export function conceal(value: string): string {
  processSecrets.add(value)
  return value
}

/** Values that must never be logged, registered where a secret is read or created. */
export interface SecretValues {
  /** Registers a value; the newest 1,000 are kept. Values shorter than 8 characters are ignored, since they would match ordinary words. */
  add(value: string): void
  /** Returns the string without any registered value. */
  redact(text: string): string
}

const LIMIT = 1000
const MIN_LENGTH = 8

/** Replacement of a removed value. */
export const REDACTED = '[redacted]'

// Bearers of callers are too many to register, so the patterns match JWTs and the text after the word `Bearer`. Both match in linear time.
const tokens = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*|(?<=\bbearer )[A-Za-z0-9._~+/=-]{8,}/gi

// Occurs in every match of these patterns: a quick check, since hardly any text has a match.
const tokenHint = /eyj|bearer /i

/** An empty set of secret values. */
export function createSecretValues(): SecretValues {
  const values = new Set<string>()
  return {
    add: (value) => {
      // Lines are JSON, so a quote or newline of the value is escaped in them.
      for (const text of new Set([value, JSON.stringify(value).slice(1, -1)])) remember(values, text)
    },
    redact: (text) => {
      let clean = tokenHint.test(text) ? text.replaceAll(tokens, REDACTED) : text
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

/** The secrets of this process, used by each logger unless it is given others. */
export const processSecrets = createSecretValues()
