import type { Static } from 'typebox'
import type { ReferenceItem } from '#schemas/api/agents.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { AgentPlace } from './use-agent.ts'

interface UsedByAnswer {
  readonly items: readonly Static<typeof ReferenceItem>[]
}

/** Options of the query for what refers to an agent. */
export function usedByQuery({ namespace, name }: AgentPlace) {
  return apiQuery<UsedByAnswer>(['usedby'], { kind: 'AgentDeployment', namespace, name })
}
