import type { KnowledgeBaseSpec } from '#schemas/crds/knowledge-base.ts'
import type { Submission } from './queue-ingests.ts'

/** Submissions of the sources of a spec. A source keeps its document when its address changes. */
export function sourcesOf({ sources = [] }: KnowledgeBaseSpec): readonly Submission[] {
  return sources.map(({ name, url, title }) => ({
    documentId: sourceId(name),
    title: title ?? null,
    from: { url },
  }))
}

/** Id of the document of a source. */
export function sourceId(name: string): string {
  return `source/${name}`
}
