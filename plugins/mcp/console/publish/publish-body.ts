import type { PublishMcpServerBody } from '#schemas/api/mcp-connectors.ts'

/** Who sees a published server. */
export type PublishAudience = 'all' | 'some' | 'none'

/** What was typed of a publication. */
export interface PublicationFields {
  readonly title: string
  readonly description: string
  readonly tags: string
  readonly audience: PublishAudience
  readonly namespaces: string
}

/** The body of the request. Pure. */
export function toServerPublication(
  server: { readonly namespace: string; readonly name: string },
  { title, description, tags, audience, namespaces }: PublicationFields,
): PublishMcpServerBody {
  return {
    namespace: server.namespace,
    server: server.name,
    title: title.trim(),
    description: description.trim(),
    tags: wordsOf(tags),
    visibleTo: audience === 'all' ? 'all' : audience === 'none' ? [] : wordsOf(namespaces),
  }
}

// Each word once, as the API wants it.
function wordsOf(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).filter((word) => word !== ''))]
}
