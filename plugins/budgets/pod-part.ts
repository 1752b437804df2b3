import type { PodPart } from '#plugins/agents/contract/points.ts'

/**
 * Routes the model calls of an agent with a budget through its launcher, which holds money for them. A launcher that applies guardrails
 * holds the money of the agents above before them.
 */
export const budgetPodPart: PodPart = async ({ spec: { budget, guardrails = [] } }) => {
  if (budget !== undefined) return { modelProxy: true, launcher: { money: true } }
  return guardrails.length === 0 ? undefined : { launcher: { money: 'inherited' } }
}
