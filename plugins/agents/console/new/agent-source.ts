/** What a new agent begins with; in the address as `recipe:hello` or `fork:demo/hello`. */
export interface AgentSource {
  readonly kind: 'recipe' | 'template' | 'prompt' | 'file' | 'fork'
  /** Id of a recipe, or namespace and name of an object. */
  readonly id: string
}

/** The kinds of sources, in the order of the page. */
export const sourceKinds = ['recipe', 'template', 'prompt', 'file', 'fork'] as const

/** Reads the source of an address; undefined without a valid one. */
export function sourceOf(from: string | undefined): AgentSource | undefined {
  const [, kind, id = ''] = /^(recipe|template|prompt|file|fork)(?::(.{0,400}))?$/su.exec(from ?? '') ?? []
  const found = sourceKinds.find((one) => one === kind)
  if (found === undefined) return undefined
  const hasId = found === 'prompt' || found === 'file' || id !== ''
  const isObject = found === 'template' || found === 'fork'
  return hasId && (!isObject || /^[^/]+\/[^/]+$/.test(id)) ? { kind: found, id } : undefined
}

/** A source as it stands in the address. */
export function toFrom({ kind, id }: AgentSource): string {
  return id === '' ? kind : `${kind}:${id}`
}

/** Names the draft of a new agent from a source, as it stands in the address. */
export function draftKeyOf(from: string): string {
  return `agents/-new/${from}`
}

/** Fields of the metadata of a copy: what people wrote, without what the cluster or a controller keeps. */
export function copiedMetadata(
  metadata: Readonly<Record<string, unknown>>,
  names: { readonly name: string; readonly namespace: string },
): object {
  const { labels, annotations } = metadata
  return {
    ...names,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations: ofPeople(annotations) }),
  }
}

function ofPeople(annotations: unknown): object {
  const own = Object.entries((annotations ?? {}) as object).filter(
    ([name]) => !name.startsWith('kubectl.kubernetes.io/') && !name.startsWith('deployment.kubernetes.io/'),
  )
  return Object.fromEntries(own)
}
