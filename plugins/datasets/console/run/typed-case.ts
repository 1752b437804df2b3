/** What the expected output is. */
export type ReadExpected =
  | { readonly kind: 'output' }
  | { readonly kind: 'none' }
  | { readonly kind: 'other'; readonly value: unknown }
  | { readonly kind: 'notJson' }

/** The output of a run as the dialog shows it first. Pure. */
export function toTypedOutput(output: unknown): string {
  if (output === undefined || output === null) return ''
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2)
}

/** What was typed as the expected output: that of the run, none, or another one of its type. Pure. */
export function readExpected(typed: string, output: unknown): ReadExpected {
  if (typed.trim() === '') return { kind: 'none' }
  if (typed === toTypedOutput(output)) return { kind: 'output' }
  if (typeof output === 'string' || output === undefined || output === null) return { kind: 'other', value: typed }
  try {
    return { kind: 'other', value: JSON.parse(typed) as unknown }
  } catch {
    return { kind: 'notJson' }
  }
}

/** Tags with commas between them, each once. Pure. */
export function readTags(typed: string): readonly string[] {
  const tags = typed.split(',').map((one) => one.trim())
  return [...new Set(tags.filter((one) => one !== ''))]
}
