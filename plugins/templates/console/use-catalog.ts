import { useQuery } from '@tanstack/react-query'
import type { Recipe } from '#schemas/api/templates.ts'
import type { AgentTemplateObject } from '#schemas/crds/agent-template.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { ofRecipe, ofTemplate } from './catalog.ts'
import type { CatalogEntry } from './catalog.ts'

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** The catalog: recipes first. One part may fail alone. */
export interface Catalog {
  /** Undefined while nothing of it is there. */
  readonly entries: readonly CatalogEntry[] | undefined
  readonly hasMore: boolean
  readonly templatesError: Error | null
  readonly recipesError: Error | null
  readonly reload: () => void
}

const MOST = 200

/** Reads the catalog of a namespace, or of all that the caller may see. */
export function useCatalog(namespace: string | undefined): Catalog {
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const recipes = useQuery({ ...apiQuery<Page<Recipe>>(['recipes']), staleTime: Number.POSITIVE_INFINITY })
  const templates = useQuery(apiQuery<Page<AgentTemplateObject>>(['templates'], { ...scope, limit: MOST }))
  const isWaiting = recipes.isPending || templates.isPending
  const known = [...(recipes.data?.items ?? []).map(ofRecipe), ...(templates.data?.items ?? []).map(ofTemplate)]
  return {
    entries: isWaiting && known.length === 0 ? undefined : known,
    hasMore: (templates.data?.nextCursor ?? null) !== null,
    templatesError: templates.error,
    recipesError: recipes.error,
    reload: () => {
      Promise.all([recipes.refetch(), templates.refetch()]).catch(() => undefined)
    },
  }
}
