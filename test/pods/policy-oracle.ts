import { BlockList, isIPv4 } from 'node:net'
import { at } from './api.ts'
import type { Cluster } from './cluster.ts'

/** A pod, or an address outside the cluster, which has no namespace. */
export interface PolicyEnd {
  readonly address: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Decides by the stored NetworkPolicies whether a connection by TCP is allowed. */
export interface PolicyOracle {
  /** The running pod with a label (`name=value`). */
  pod(namespace: string, label: string): PolicyEnd
  allows(from: PolicyEnd, to: PolicyEnd, port: number): boolean
}

type Direction = 'Ingress' | 'Egress'

/**
 * Reads pods, namespaces and policies of a cluster. The decision follows the API's documentation: a pod that no policy of a direction selects
 * is open in it, policies add up, and a connection needs both directions.
 */
export async function readPolicies(cluster: Cluster): Promise<PolicyOracle> {
  const list = async (kind: string): Promise<readonly unknown[]> => {
    const text = await cluster.kubectl(['get', kind, '--all-namespaces', '-o', 'json'])
    return at(JSON.parse(text), 'items') as readonly unknown[]
  }
  const [policies, pods, namespaces] = await Promise.all(['networkpolicies', 'pods', 'namespaces'].map(list))
  const labelsOf = new Map(
    (namespaces ?? []).map((one) => [at(one, 'metadata', 'name'), at(one, 'metadata', 'labels')]),
  )
  const ends = (pods ?? []).filter(isRunning).map(toEnd)
  const isPeer = (rule: unknown, other: PolicyEnd, own: string): boolean => {
    const block = at(rule, 'ipBlock')
    if (block !== undefined) return other.namespace === undefined && isInBlock(block, other.address)
    if (other.namespace === undefined) return false
    const [byNamespace, byPod] = [at(rule, 'namespaceSelector'), at(rule, 'podSelector')]
    const inNamespace =
      byNamespace === undefined ? other.namespace === own : isSelected(byNamespace, labelsOf.get(other.namespace))
    return inNamespace && (byPod === undefined || isSelected(byPod, other.labels))
  }
  const admits = (direction: Direction, pod: PolicyEnd, other: PolicyEnd, port: number): boolean => {
    const { namespace } = pod
    if (namespace === undefined) return true
    const about = (policies ?? []).filter(
      (one) =>
        at(one, 'metadata', 'namespace') === namespace &&
        listOf(at(one, 'spec', 'policyTypes')).includes(direction) &&
        isSelected(at(one, 'spec', 'podSelector'), pod.labels),
    )
    if (about.length === 0) return true
    const [rules, peers] = direction === 'Ingress' ? (['ingress', 'from'] as const) : (['egress', 'to'] as const)
    return about.some((policy) =>
      listOf(at(policy, 'spec', rules)).some((rule) => {
        const [ports, ofPeers] = [at(rule, 'ports'), at(rule, peers)]
        const toPort = ports === undefined || listOf(ports).some((one) => isPort(one, port))
        return toPort && (ofPeers === undefined || listOf(ofPeers).some((peer) => isPeer(peer, other, namespace)))
      }),
    )
  }
  return {
    pod: (namespace, label) => {
      const [key = '', value] = label.split('=')
      const found = ends.find((one) => one.namespace === namespace && one.labels?.[key] === value)
      if (found === undefined) throw new Error(`${namespace} has no pod with ${label}`)
      return found
    },
    allows: (from, to, port) => admits('Egress', from, to, port) && admits('Ingress', to, from, port),
  }
}

function isRunning(pod: unknown): boolean {
  return at(pod, 'status', 'phase') === 'Running' && at(pod, 'metadata', 'deletionTimestamp') === undefined
}

function toEnd(pod: unknown): PolicyEnd {
  return {
    address: String(at(pod, 'status', 'podIP')),
    namespace: String(at(pod, 'metadata', 'namespace')),
    labels: (at(pod, 'metadata', 'labels') ?? {}) as Readonly<Record<string, string>>,
  }
}

function isSelected(selector: unknown, labels: unknown): boolean {
  const byLabels = Object.entries((at(selector, 'matchLabels') ?? {}) as object)
  const expressions = listOf(at(selector, 'matchExpressions'))
  return (
    byLabels.every(([key, value]) => at(labels, key) === value) &&
    expressions.every((one) => {
      if (at(one, 'operator') !== 'Exists') throw new Error(`not evaluated: ${JSON.stringify(one)}`)
      return at(labels, String(at(one, 'key'))) !== undefined
    })
  )
}

function isPort(rule: unknown, port: number): boolean {
  const [first, last] = [at(rule, 'port'), at(rule, 'endPort')]
  if ((at(rule, 'protocol') ?? 'TCP') !== 'TCP') return false
  return first === undefined || (Number(first) <= port && port <= Number(last ?? first))
}

function isInBlock(block: unknown, address: string): boolean {
  const within = (cidr: unknown): boolean => {
    const [network = '', bits] = String(cidr).split('/')
    if (isIPv4(network) !== isIPv4(address)) return false
    const list = new BlockList()
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6')
    return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return within(at(block, 'cidr')) && !listOf(at(block, 'except')).some(within)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
