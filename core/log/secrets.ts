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

/** An empty set of secret values. */
export function createSecretValues(): SecretValues {
  const values = new Set<string>()
  return {
    add: (value) => {
      if (value.length < MIN_LENGTH) return
      values.delete(value)
      values.add(value)
      const [oldest] = values
      if (values.size > LIMIT && oldest !== undefined) values.delete(oldest)
    },
    redact: (text) => {
      let clean = text
      for (const value of values) {
        if (clean.includes(value)) clean = clean.replaceAll(value, REDACTED)
      }
      return clean
    },
  }
}
