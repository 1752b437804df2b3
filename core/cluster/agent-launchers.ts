import type { AgentLauncher, WorkerContext } from '#core/plugin/role-contexts.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'

const slices: Resource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
}

// A busy agent's runs look again and again: one worker asks for one agent once a second at most.
const keepMs = 1_000

/** An EndpointSlice as far as it is read (discovery.k8s.io/v1). */
interface EndpointSlice extends KubeObject {
  readonly addressType: string
  readonly endpoints?: readonly Endpoint[] | null
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
}

interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: { readonly ready?: boolean }
  readonly targetRef?: { readonly kind?: string; readonly uid?: string }
}

/** The pods behind an agent's Service, each with the address of its launcher. Throws `KubeError` when the cluster cannot say. */
export function createAgentLaunchers(cluster: KubeClient): WorkerContext['agentLaunchers'] {
  const asked = new Map<string, Promise<readonly AgentLauncher[]>>()
  return ({ namespace, name }) => {
    const key = `${namespace}/${name}`
    const known = asked.get(key)
    if (known !== undefined) return known
    const answer = readSlices(cluster, namespace, name)
    asked.set(key, answer)
    const forget = (): void => {
      asked.delete(key)
    }
    answer.then(() => setTimeout(forget, keepMs).unref(), forget)
    return answer
  }
}

/** The launcher of an agent by its Service alone: whichever pod answers, as one. */
export const launcherByService: WorkerContext['agentLaunchers'] = async ({ namespace, name }) => {
  const url = `https://${name}.${namespace}.svc:8080`
  return [{ id: url, url, ready: true }]
}

async function readSlices(cluster: KubeClient, namespace: string, name: string): Promise<readonly AgentLauncher[]> {
  const { items } = await cluster.list<EndpointSlice>(slices, {
    namespace: parseLabel('namespace', namespace),
    labelSelector: `kubernetes.io/service-name=${name}`,
  })
  const launchers = new Map<string, AgentLauncher>()
  // A pod of two address families is in a slice of each: IPv4 comes last and stays.
  for (const slice of items.toSorted((a, b) => b.addressType.localeCompare(a.addressType)))
    for (const launcher of toLaunchers(slice)) launchers.set(launcher.id, launcher)
  return [...launchers.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function toLaunchers({ addressType, endpoints, ports }: EndpointSlice): readonly AgentLauncher[] {
  const port = ports?.find((one) => one.name === 'http')?.port
  if (port === undefined || !(addressType === 'IPv4' || addressType === 'IPv6')) return []
  return (endpoints ?? []).flatMap(({ addresses, conditions, targetRef }) => {
    const [address] = addresses
    if (address === undefined || targetRef?.kind !== 'Pod' || targetRef.uid === undefined) return []
    const host = addressType === 'IPv6' ? `[${address}]` : address
    // Absent means ready (the API's own words); a pod that ends is not.
    return [{ id: targetRef.uid, url: `https://${host}:${port}`, ready: conditions?.ready !== false }]
  })
}
