import { useQuery } from '@tanstack/react-query'
import type { Recipe } from '#schemas/api/templates.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'

interface RecipePage {
  readonly items: readonly Recipe[]
}

/** What stands in the field at first: that of the address, or the input to try of the recipe that the agent was made from. */
export function useFirstInput({ spec }: ShownAgent, isWanted: boolean): string {
  const [{ input }] = useAddress()
  const { data } = useQuery({
    ...apiQuery<RecipePage>(['recipes']),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: isWanted && input === undefined && spec?.systemPrompt !== undefined,
  })
  if (!isWanted) return ''
  return input ?? data?.items.find((recipe) => promptOf(recipe) === spec?.systemPrompt)?.tryInput ?? ''
}

function promptOf({ config }: Recipe): unknown {
  return (config as { readonly systemPrompt?: unknown }).systemPrompt
}
