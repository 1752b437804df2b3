import type { PodPart } from '#plugins/agents/contract/points.ts'

/**
 * Routes the model calls of an agent with policies through its launcher, which applies them. Namespace-wide policies alone do not replace pods: the
 * gateway applies them.
 */
export const guardrailPodPart: PodPart = async ({ spec }) =>
  (spec.guardrails ?? []).length === 0 ? undefined : { modelProxy: true, launcher: { enabled: true } }
