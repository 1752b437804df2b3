import type { ListedPrompt } from '#schemas/api/prompts.ts'

/** What a person typed. */
export interface WrittenText {
  readonly form: 'text' | 'file'
  readonly namespace: string
  readonly name: string
  readonly text: string
  readonly message: string
  /** Empty for none. */
  readonly label: string
  /** A document in YAML. */
  readonly file: string
  /** The version that a further one follows: its other fields stay. */
  readonly kept: ListedPrompt | undefined
}

/** A request that stores a version. */
export interface SaveRequest {
  readonly method: 'POST'
  readonly path: readonly string[]
  readonly body?: unknown
  readonly yaml?: string
}

/** The request that stores what was typed. Pure. */
export function toSaveRequest({ form, namespace, name, text, message, label, file, kept }: WrittenText): SaveRequest {
  const path = ['promptversions']
  if (form === 'file') return { method: 'POST', path, yaml: file }
  const { config, tags, variables } = kept ?? {}
  const body = {
    namespace,
    name,
    text,
    // Its variables are checked against the text, which may have others now.
    ...(variables === undefined || !usesOnly(text, variables) ? {} : { variables }),
    ...(config === undefined ? {} : { config }),
    ...(tags === undefined ? {} : { tags }),
    ...(message === '' ? {} : { commitMessage: message }),
    ...(label === '' ? {} : { labels: [label] }),
  }
  return { method: 'POST', path, body }
}

function usesOnly(text: string, variables: unknown): boolean {
  const { properties = {} } = variables as { readonly properties?: object }
  return [...text.matchAll(/\{\{([A-Za-z_]\w{0,62})\}\}/g)].every(([, name = '']) => Object.hasOwn(properties, name))
}
