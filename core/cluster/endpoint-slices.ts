import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'

/** One endpoint of a Service: a pod, or a process of this machine. */
export interface ServiceEndpoint {
  /** Uid of the pod: a later pod at the same address has another. */
  readonly id: string
  /** Base URL. */
  readonly url: string
  /** Whether it accepts new work; an endpoint that terminates may still have some. */
  readonly ready: boolean
}

/** A port of a Service. */
export interface ServicePort {
  readonly namespace: string
  readonly name: string
  readonly portName: string
  readonly port: number
  readonly scheme: 'http' | 'https'
}

/** Returns every endpoint of a Service; none while it has no address. Rejects when the cluster cannot say. */
export type ServiceEndpoints = (service: ServicePort) => Promise<readonly ServiceEndpoint[]>

const slices: Resource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
}

// Retries look up the same Service again and again: one process lists its slices once a second at most.
const keepMs = 1_000

/** An EndpointSlice as far as it is read (discovery.k8s.io/v1). */
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

/** Looks up the pods behind a Service in its EndpointSlices. Throws `KubeError` when the cluster cannot say. */
export function createServiceEndpoints(cluster: KubeClient): ServiceEndpoints {
  const asked = new Map<string, Promise<readonly ServiceEndpoint[]>>()
  return (service) => {
    const key = `${service.namespace}/${service.name}/${service.portName}`
    const known = asked.get(key)
    if (known !== undefined) return known
    const answer = readSlices(cluster, service)
    asked.set(key, answer)
    const forget = (): void => {
      asked.delete(key)
    }
    answer.then(() => setTimeout(forget, keepMs).unref(), forget)
    return answer
  }
}

/** The Service itself as the one endpoint, for a process that may not read EndpointSlices. */
export const endpointByService: ServiceEndpoints = async ({ namespace, name, port, scheme }) => {
  const url = `${scheme}://${name}.${namespace}.svc:${port}`
  return [{ id: url, url, ready: true }]
}

async function readSlices(cluster: KubeClient, service: ServicePort): Promise<readonly ServiceEndpoint[]> {
  const { items } = await cluster.list<EndpointSlice>(slices, {
    namespace: parseLabel('namespace', service.namespace),
    labelSelector: `kubernetes.io/service-name=${service.name}`,
  })
  const found = new Map<string, ServiceEndpoint>()
  // A pod of two address families is in a slice of each: IPv4 comes last and stays.
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
    // Absent means ready (the API's own words); a pod that ends is not.
    return [{ id: targetRef.uid, url: `${scheme}://${host}:${port}`, ready: conditions?.ready !== false }]
  })
}
