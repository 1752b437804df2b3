import { isIP } from 'node:net'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { parseLabel } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** One endpoint of a Service: a pod, or a local process. */
export interface ServiceEndpoint {
  /** Uid of the pod; a later pod with the same address has another. */
  readonly id: string
  /** Base URL. */
  readonly url: string
  /** Whether it accepts new work. A terminating endpoint may still finish some. */
  readonly ready: boolean
}

/** A port of a Service. */
export interface ServicePort {
  readonly namespace: string
  readonly name: string
  readonly portName: string
  readonly port: number
  readonly scheme: 'http' | 'https'
  /**
   * First number of a revision of the agent that the Service is named after: only pods of the candidate with that revision, which a gate holds and
   * no Service selects. They are never among the endpoints of the Service.
   */
  readonly candidate?: number
}

/** Lists all endpoints of a Service; empty while it has none. Rejects if the cluster does not respond. */
export type ServiceEndpoints = (service: ServicePort) => Promise<readonly ServiceEndpoint[]>

const slices: Resource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
}

// Retries look up the same Service repeatedly: a process lists its slices at most once a second.
const keepMs = 1_000

/** The fields of an EndpointSlice that are read (discovery.k8s.io/v1). */
interface EndpointSlice extends KubeObject {
  readonly addressType: string
  readonly endpoints?: readonly SliceEndpoint[] | null
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
}

interface SliceEndpoint {
  readonly addresses: readonly string[]
  readonly conditions?: { readonly ready?: boolean }
  readonly targetRef?: { readonly kind?: string; readonly uid?: string }
}

/** Looks up the pods of a Service in its EndpointSlices. Throws `KubeError` if the cluster does not respond. */
export function createServiceEndpoints(cluster: KubeClient): ServiceEndpoints {
  const asked = new Map<string, Promise<readonly ServiceEndpoint[]>>()
  return (service) => {
    const key = `${service.namespace}/${service.name}/${service.portName}/${service.candidate ?? ''}`
    const known = asked.get(key)
    if (known !== undefined) return known
    const answer = service.candidate === undefined ? readSlices(cluster, service) : readCandidates(cluster, service)
    asked.set(key, answer)
    const forget = (): void => {
      asked.delete(key)
    }
    answer.then(() => setTimeout(forget, keepMs).unref(), forget)
    return answer
  }
}

/** Returns the Service itself as the only endpoint, for a process that may not read EndpointSlices. */
export const endpointByService: ServiceEndpoints = async ({ namespace, name, port, scheme, candidate }) => {
  // The Service has no pod of a candidate.
  if (candidate !== undefined) return []
  const url = `${scheme}://${name}.${namespace}.svc:${port}`
  return [{ id: url, url, ready: true }]
}

// The manager writes the pods of a candidate to the status of its agent, so that no worker may read pods.
async function readCandidates(cluster: KubeClient, service: ServicePort): Promise<readonly ServiceEndpoint[]> {
  const agent = await findNamedObject<AgentDeploymentObject>(cluster, AgentDeployment, service)
  const candidate = agent?.status?.candidate
  if (candidate?.number !== service.candidate) return []
  return (candidate?.pods ?? []).flatMap(({ uid, address, ready }) => {
    const family = isIP(address)
    const host = family === 6 ? `[${address}]` : address
    return family === 0 ? [] : [{ id: uid, url: `${service.scheme}://${host}:${service.port}`, ready }]
  })
}

async function readSlices(cluster: KubeClient, service: ServicePort): Promise<readonly ServiceEndpoint[]> {
  const { items } = await cluster.list<EndpointSlice>(slices, {
    namespace: parseLabel('namespace', service.namespace),
    labelSelector: `kubernetes.io/service-name=${service.name}`,
  })
  const found = new Map<string, ServiceEndpoint>()
  // A dual-stack pod is in a slice of each family; IPv4 is last and wins.
  for (const slice of items.toSorted((a, b) => b.addressType.localeCompare(a.addressType)))
    for (const endpoint of toEndpoints(slice, service)) found.set(endpoint.id, endpoint)
  return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function toEndpoints(
  { addressType, endpoints, ports }: EndpointSlice,
  { portName, scheme }: ServicePort,
): readonly ServiceEndpoint[] {
  const port = ports?.find((one) => one.name === portName)?.port
  if (port === undefined || !(addressType === 'IPv4' || addressType === 'IPv6')) return []
  return (endpoints ?? []).flatMap(({ addresses, conditions, targetRef }) => {
    const [address] = addresses
    if (address === undefined || targetRef?.kind !== 'Pod' || targetRef.uid === undefined) return []
    const host = addressType === 'IPv6' ? `[${address}]` : address
    // An absent condition means ready (per the API); a terminating pod is not.
    return [{ id: targetRef.uid, url: `${scheme}://${host}:${port}`, ready: conditions?.ready !== false }]
  })
}
