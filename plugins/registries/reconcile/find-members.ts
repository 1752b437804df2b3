import type { KubeClient, ObjectList } from '#core/kube/client.ts'
import { isLabel, parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentRegistryObject, RegistryMember } from '#schemas/crds/agent-registry.ts'
import { isDnsLabel } from '#schemas/launcher/envelope.ts'
import { isMember, roleOf } from '../members/membership.ts'

/** Lists the members of a registry, oldest first, in its namespace and admitted namespaces. */
export async function findMembers(
  cluster: Pick<KubeClient, 'list'>,
  registry: AgentRegistryObject,
): Promise<readonly RegistryMember[]> {
  const lists = await Promise.all(namespacesOf(registry).map((namespace) => listAgents(cluster, namespace)))
  const members = lists.flat().filter((agent) => isDnsLabel(agent.metadata.name) && isMember(agent, registry))
  return members.toSorted(byAge).map(({ metadata: { namespace = '', name, uid = '' } }) => {
    const role = roleOf(registry, { namespace, name })
    return { namespace, name, uid, role }
  })
}

// undefined: every namespace.
function namespacesOf({ metadata, spec }: AgentRegistryObject): readonly (DnsLabel | undefined)[] {
  const { allowedNamespaces = [] } = spec
  if (allowedNamespaces.includes('*')) return [undefined]
  const own = parseLabel('namespace', metadata.namespace ?? '')
  return [...new Set([own, ...allowedNamespaces.filter(isLabel)])]
}

async function listAgents(
  cluster: Pick<KubeClient, 'list'>,
  namespace: DnsLabel | undefined,
): Promise<AgentDeploymentObject[]> {
  const agents: AgentDeploymentObject[] = []
  let next: string | undefined
  do {
    const page: ObjectList<AgentDeploymentObject> = await cluster.list<AgentDeploymentObject>(AgentDeployment, {
      ...(namespace === undefined ? {} : { namespace }),
      limit: 500,
      ...(next === undefined ? {} : { continue: next }),
    })
    agents.push(...page.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined))
    next = page.continue
  } while (next !== undefined)
  return agents
}

function byAge({ metadata: a }: AgentDeploymentObject, { metadata: b }: AgentDeploymentObject): number {
  const key = ({ creationTimestamp = '', namespace = '', name }: typeof a): string =>
    `${creationTimestamp} ${namespace}/${name}`
  return key(a) < key(b) ? -1 : 1
}
