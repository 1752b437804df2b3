import type { AgentGate } from '#plugins/agents/contract/points.ts'
import { readBinding } from './pod-part.ts'

/**
 * Holds a revision back while a bound Secret or key is missing (ADR 0147). Its pods would wait for the Secret, and the kubelet checks no label. They
 * would get a Secret of the platform that is later created under this name.
 */
export const secretsGate: AgentGate = async ({ agent: { metadata, spec } }, cluster) => {
  for (const { name } of spec.secrets ?? []) {
    const { problem } = await readBinding(cluster, metadata.namespace ?? '', name)
    if (problem?.reason === 'SecretMissing' || problem?.reason === 'KeyMissing') return problem
  }
  return undefined
}
