import type { Recipe } from '#schemas/api/templates.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'

/** An entry of the catalog: a recipe of the platform, or a published template. */
export interface CatalogEntry {
  /** Unique in the catalog; what `/agents/new?from=` names. */
  readonly id: string
  readonly source: 'recipe' | 'template'
  readonly title: string
  readonly description: string
  readonly tags: readonly string[]
  /** Kind of object that it makes. */
  readonly kind: 'agent' | 'team' | 'workflow'
  /** Of a template: where it is. */
  readonly place: { readonly namespace: string; readonly name: string } | undefined
  /** Agent from which it was published, as `namespace/name`. */
  readonly publishedFrom: string | undefined
}

const PUBLISHED_FROM = 'mesh.dev/published-from'

/** A recipe as an entry. Pure. */
export function ofRecipe({ id, title, description, tags }: Recipe): CatalogEntry {
  const place = undefined
  return { id: `recipe:${id}`, source: 'recipe', title, description, tags, kind: 'agent', place, publishedFrom: place }
}

/** A template as an entry; one without a title has its name. Pure. */
export function ofTemplate({ metadata, spec }: AgentTemplateObject): CatalogEntry {
  const { namespace = '', name, annotations } = metadata
  const from = annotations?.[PUBLISHED_FROM]
  return {
    id: `template:${namespace}/${name}`,
    source: 'template',
    title: spec?.title ?? name,
    description: spec?.description ?? '',
    tags: spec?.tags ?? [],
    kind: spec?.for ?? 'agent',
    place: { namespace, name },
    publishedFrom: from?.split('/').slice(1).join('/'),
  }
}

/** What the filter of the page asks for. */
export interface CatalogFilter {
  readonly q: string | undefined
  readonly tag: string | undefined
  readonly source: string | undefined
}

/** The entries that match: each word is in the title, the description or a tag. Pure. */
export function filterCatalog(entries: readonly CatalogEntry[], { q = '', tag, source }: CatalogFilter) {
  const words = q.toLowerCase().split(/\s+/)
  return entries.filter((entry) => {
    const known = [entry.title, entry.description, ...entry.tags].join('\n').toLowerCase()
    const isOfSource = source === undefined || entry.source === source
    return isOfSource && (tag === undefined || entry.tags.includes(tag)) && words.every((word) => known.includes(word))
  })
}

/** The tags of the entries, in the order of the alphabet. Pure. */
export function tagsOf(entries: readonly CatalogEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b))
}
