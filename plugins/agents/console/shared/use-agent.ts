import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { ShownAgent } from './shown-agent.ts'

// Pods and their events are of Kubernetes: no event of the platform reports their changes.
const PODS_MS = 30_000

/** Name of an agent. */
export interface AgentPlace {
  readonly namespace: string
  readonly name: string
}

/** An agent as the page shows it: the last good data stay, also after it was deleted. */
export interface AgentRead {
  readonly agent: ShownAgent | undefined
  readonly error: Error | null
  /** It was deleted while the page was open. */
  readonly isGone: boolean
  readonly reload: () => void
}

/** Reads an agent with what its page shows, and again while the page is seen. */
export function useAgent({ namespace, name }: AgentPlace): AgentRead {
  const { data, error, refetch } = useQuery({
    ...apiQuery<ShownAgent>(['agents', namespace, name], { include: 'stats,can,budget,pods,events' }),
    refetchInterval: ({ state }) => (isMissing(state.error) ? false : PODS_MS),
  })
  const reload = (): void => {
    refetch().catch(() => undefined)
  }
  return { agent: data, error, isGone: data !== undefined && isMissing(error), reload }
}

function isMissing(error: Error | null): boolean {
  return error instanceof ApiProblem && error.facts.status === 404
}
