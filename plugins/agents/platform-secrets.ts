import type { ObjectMeta } from '#schemas/object.ts'
import { GROUP } from '#schemas/group.ts'
import { AGENT_LABEL, MANAGED_BY, PROVIDER_KEY_LABEL } from '#schemas/labels.ts'

/** What an agent that refers to such a Secret is told. */
export const PLATFORM_SECRET_MESSAGE =
  'refers to a Secret that the platform keeps for itself: keys of agents, roles and providers are not for agents'

/**
 * Whether the platform made a Secret for itself or an agent, or sends its key to a provider (B7: to that provider alone).
 * By labels and owner: names are free.
 */
export function isPlatformSecret({ labels = {}, ownerReferences = [] }: Partial<ObjectMeta>): boolean {
  return (
    labels[MANAGED_BY.label] === MANAGED_BY.value ||
    labels[AGENT_LABEL] !== undefined ||
    labels[PROVIDER_KEY_LABEL] === 'true' ||
    ownerReferences.some(({ apiVersion }) => apiVersion.startsWith(`${GROUP}/`))
  )
}
