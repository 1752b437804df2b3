import type { Caller } from '#core/cluster/caller.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'

/** Caller of a model: a user with a bearer token of the cluster, or an agent's pod with a token for the gateway only. */
export type Principal =
  | { readonly kind: 'person'; readonly username: string; readonly caller: Caller }
  | {
      readonly kind: 'pod'
      readonly username: string
      readonly namespace: string
      readonly agentUid: string
      readonly agent: AgentDeploymentObject
    }

const audience = 'gateway'

/** Authenticates a bearer token. Throws `unauthenticated`, or `forbidden` for a gateway token that belongs to no agent. */
export async function authenticate(gateway: GatewayContext, bearer: string): Promise<Principal> {
  const pod = await gateway.authenticate(bearer, audience)
  if (pod === undefined) {
    const caller = await gateway.callerOf(bearer)
    return { kind: 'person', username: caller.username, caller }
  }
  const account = agentOfServiceAccount(pod.username)
  const agent = account === undefined ? undefined : await readAgent(gateway, account)
  const agentUid = agent?.metadata.uid
  if (account === undefined || agent === undefined || agentUid === undefined)
    throw new Fail('forbidden', 'This service account does not belong to an agent.')
  return { kind: 'pod', username: pod.username, namespace: account.namespace, agentUid, agent }
}

/** Reads an agent as the gateway; undefined if it does not exist. Read per call: by now another agent may have its name. */
export async function readAgent(
  gateway: GatewayContext,
  agent: { readonly namespace: string; readonly name: string },
): Promise<AgentDeploymentObject | undefined> {
  const ref = parseRef(agent)
  try {
    return await gateway.cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
