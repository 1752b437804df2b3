/** The input of another run, as it is typed. */
export interface TypedInput {
  readonly words: string
  /** Whether the words are a JSON value, and not a string. */
  readonly isJson: boolean
}

/** The input of a run, to be edited. Pure. */
export function toTyped(input: unknown): TypedInput {
  if (input === undefined || input === null) return { words: '', isJson: false }
  if (typeof input === 'string') return { words: input, isJson: false }
  return { words: JSON.stringify(input, null, 2), isJson: true }
}

/** The input that was typed, or why it cannot be sent. Pure. */
export function readTyped({ words, isJson }: TypedInput): { readonly value: unknown } | { readonly why: string } {
  if (!isJson) return { value: words }
  try {
    return { value: JSON.parse(words) as unknown }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}
