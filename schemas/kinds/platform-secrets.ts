import type { ObjectMeta } from './object.ts'
import { GROUP } from '../names/group.ts'
import { AGENT_LABEL, MANAGED_BY, MCP_CREDENTIAL_LABEL, PROVIDER_KEY_LABEL } from '../names/labels.ts'

/** Message for an agent that refers to a Secret of the platform. */
export const PLATFORM_SECRET_MESSAGE =
  'refers to a Secret that the platform keeps for itself: keys of agents, roles, providers and MCP servers are not for agents'

/**
 * Whether a Secret was created by the platform for itself or an agent, or has the key of a provider or the token of an MCP server (B7). Decided by
 * labels and owner, since names are arbitrary.
 */
export function isPlatformSecret({ labels = {}, ownerReferences = [] }: Partial<ObjectMeta>): boolean {
  return (
    labels[MANAGED_BY.label] === MANAGED_BY.value ||
    labels[AGENT_LABEL] !== undefined ||
    labels[PROVIDER_KEY_LABEL] === 'true' ||
    labels[MCP_CREDENTIAL_LABEL] === 'true' ||
    ownerReferences.some(({ apiVersion }) => apiVersion.startsWith(`${GROUP}/`))
  )
}
