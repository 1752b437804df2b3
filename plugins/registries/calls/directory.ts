import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentRegistryObject, RegistryMember } from '#schemas/crds/agent-registry.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { agentPath } from '#schemas/launcher/envelope.ts'
import type { Peer, PeerDirectory, PeerRegistry } from '#schemas/launcher/envelope.ts'
import { callable, depthOf, isMember, mayCall, roleOf } from '../members/membership.ts'
import { findAgentObject, findRegistry } from './find-agent.ts'

/** Dependencies of the directory. */
export interface DirectoryServices {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly endpoints: ServiceEndpoints
}

/**
 * The registries of an agent with their other members, including members that it may not call, so that such a call is refused as forbidden. An
 * unknown agent has no registries.
 */
export async function readDirectory(services: DirectoryServices, self: AgentName): Promise<PeerDirectory> {
  const agent = await findAgentObject(services.cluster, self)
  if (agent === undefined) return { registries: [] }
  const registries = await Promise.all(registriesOf(agent).map((name) => findRegistry(services.cluster, name)))
  const joined = registries.filter((one) => one !== undefined && isMember(agent, one))
  return { registries: await Promise.all(joined.flatMap((one) => (one ? [toRegistry(services, one, self)] : []))) }
}

function registriesOf({ metadata, spec }: AgentDeploymentObject): readonly AgentName[] {
  return (spec.registries ?? []).map(({ name, namespace = metadata.namespace ?? '' }) => ({ name, namespace }))
}

async function toRegistry(
  { endpoints }: DirectoryServices,
  registry: AgentRegistryObject,
  self: AgentName,
): Promise<PeerRegistry> {
  const { metadata, spec, status } = registry
  const members = status?.members ?? []
  const role = roleOf(registry, self)
  const named = new Set(callable(members, self))
  const others = members.filter((one) => agentPath(one) !== agentPath(self))
  const toPeer = async (member: RegistryMember): Promise<Peer> => {
    // Read from the spec: the status may be older.
    const their = roleOf(registry, member)
    const outbound = named.has(member) && mayCall(spec, role, their)
    const inbound = mayCall(spec, their, role)
    const url = outbound ? await urlOf(endpoints, member) : undefined
    return {
      namespace: member.namespace,
      name: member.name,
      role: their,
      outbound,
      inbound,
      ...(url === undefined ? {} : { url }),
      uid: member.uid,
    }
  }
  return {
    id: agentPath({ namespace: metadata.namespace ?? '', name: metadata.name }),
    role,
    maxDepth: depthOf(spec),
    peers: await Promise.all(others.map(toPeer)),
  }
}

async function urlOf(endpoints: ServiceEndpoints, { namespace, name }: AgentName): Promise<string | undefined> {
  const { port } = reservedPorts.ampInbound
  const all = await endpoints({ namespace, name, portName: 'amp', port, scheme: 'https' })
  return all.find(({ ready }) => ready)?.url
}
