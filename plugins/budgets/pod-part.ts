import type { PodPart } from '#plugins/agents/points.ts'

/** Routes the model calls of an agent with a budget through its launcher, which holds money for them. */
export const budgetPodPart: PodPart = async ({ spec }) =>
  spec.budget === undefined ? undefined : { modelProxy: true, launcher: { money: true } }
