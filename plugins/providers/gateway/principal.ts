import type { Caller } from '#core/cluster/access.ts'
import type { GatewayContext } from '#core/host/contexts.ts'
import { Fail } from '#core/http/errors.ts'
import { agentOfServiceAccount } from '#schemas/agent-names.ts'

/** Who calls a model: a person with the cluster's bearer, or an agent's pod with a token for the gateway alone. */
export type Principal =
  | { readonly kind: 'person'; readonly username: string; readonly caller: Caller }
  | { readonly kind: 'pod'; readonly username: string; readonly namespace: string; readonly agent: string }

const audience = 'gateway'

/** Finds out who holds a bearer. Throws `unauthenticated`, or `forbidden` for a gateway token that is no agent's. */
export async function authenticate(gateway: GatewayContext, bearer: string): Promise<Principal> {
  const pod = await gateway.authenticate(bearer, audience)
  if (pod === undefined) {
    const caller = await gateway.callerOf(bearer)
    return { kind: 'person', username: caller.username, caller }
  }
  const agent = agentOfServiceAccount(pod.username)
  if (agent === undefined) throw new Fail('forbidden', 'This service account belongs to no agent.')
  return { kind: 'pod', username: pod.username, namespace: agent.namespace, agent: agent.name }
}
