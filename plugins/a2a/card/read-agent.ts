import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** An agent in the path of a route. */
export interface AgentPath {
  readonly ns: DnsLabel
  readonly name: DnsName
}

/** Reads an agent with the caller's rights. An agent that is not exposed is unknown to this protocol. */
export async function readExposed(
  { cluster }: Pick<Caller, 'cluster'>,
  { ns: namespace, name }: AgentPath,
): Promise<AgentDeploymentObject> {
  const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, { namespace, name })
  if (agent.spec.a2a?.expose === true) return agent
  throw new Fail('not_found', 'The agent is not exposed over A2A: spec.a2a.expose is not true.')
}
