/** Whether the answer to a question is a JSON value of some form and not a string. */
export function wantsObject(schema: unknown): boolean {
  const { type } = (schema ?? {}) as { readonly type?: unknown }
  return typeof type === 'string' && type !== 'string'
}

/** The answer that was typed; undefined if it cannot be one. Words are an answer to a question without a schema. Pure. */
export function typedPayloadOf(words: string, schema: unknown): { readonly value: unknown } | undefined {
  if (words.trim() === '') return undefined
  if (!wantsObject(schema)) return { value: words }
  try {
    return { value: JSON.parse(words) as unknown }
  } catch {
    return undefined
  }
}
