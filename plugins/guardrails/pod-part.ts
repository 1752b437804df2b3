import type { PodPart } from '#plugins/agents/contract/points.ts'

/**
 * Routes the model calls of an agent with policies through its launcher, which applies them. Policies of the whole namespace alone do not
 * replace pods: the gateway applies these.
 */
export const guardrailPodPart: PodPart = async ({ spec }) =>
  (spec.guardrails ?? []).length === 0 ? undefined : { modelProxy: true, launcher: { enabled: true } }
