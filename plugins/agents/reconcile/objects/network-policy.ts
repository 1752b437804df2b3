import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { groupKey } from '#schemas/names/group.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import { registryLabels } from './registry-labels.ts'

// Ports of pods, since policies apply after Service translation.
const GATEWAY_PORT = 4000
const STATE_PORT = 3002

// Addresses that are not public (IANA special-purpose registries): databases, kubelets, API server, metadata services.
const notPublic = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '224.0.0.0/3',
  ],
  ipv6: ['2001:db8::/32', '2002::/16'],
}

type Rule = Readonly<Record<string, unknown>>

/** Rules of an agent's NetworkPolicy (networking.k8s.io/v1). Policies of other names add to them. */
export interface NetworkRules {
  readonly policyTypes: readonly ('Ingress' | 'Egress')[]
  readonly ingress: readonly Rule[]
  readonly egress?: readonly Rule[]
}

/**
 * Inbound: the platform reaches the launcher, members of a registry reach each other. Outbound, according to the setting `agents.egress`: DNS, model
 * gateway and state role, members, collector. `public` (the default) adds public addresses; `any` does not limit it. Without
 * `takesCalls`, members do not reach the pods.
 */
export function networkRules(
  agent: AgentDeploymentObject,
  settings: Pick<ReconcileSettings, 'systemNamespace' | 'otlpEndpoint' | 'egress'>,
  { takesCalls = true }: { readonly takesCalls?: boolean } = {},
): NetworkRules {
  const { invoke, ampInbound } = reservedPorts
  const system = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': settings.systemNamespace } } }
  // Members in every namespace: the registry decides which agents may join, and the state role authorizes each call.
  const members = registryLabels(agent).map((key) => ({
    namespaceSelector: {},
    podSelector: { matchExpressions: [{ key, operator: 'Exists' }] },
  }))
  const inRegistry = members.length > 0
  const ingress = [
    { from: [system], ports: tcp(invoke.port) },
    ...(inRegistry && takesCalls ? [{ from: members, ports: tcp(ampInbound.port) }] : []),
  ]
  const { egress = 'public', otlpEndpoint } = settings
  if (egress === 'any') return { policyTypes: ['Ingress'], ingress }
  return {
    policyTypes: ['Ingress', 'Egress'],
    ingress,
    egress: [
      { ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)] },
      { to: [{ ...system, podSelector: roleSelector('gateway') }], ports: tcp(GATEWAY_PORT) },
      { to: [{ ...system, podSelector: roleSelector('state') }], ports: tcp(STATE_PORT) },
      ...(inRegistry ? [{ to: members, ports: tcp(ampInbound.port) }] : []),
      ...(otlpEndpoint === undefined ? [] : [{ to: [{ namespaceSelector: {} }], ports: tcp(portOf(otlpEndpoint)) }]),
      ...(egress === 'public' ? [{ to: publicBlocks }] : []),
    ],
  }
}

const publicBlocks = [
  { ipBlock: { cidr: '0.0.0.0/0', except: notPublic.ipv4 } },
  { ipBlock: { cidr: '2000::/3', except: notPublic.ipv6 } },
]

function roleSelector(role: string) {
  return { matchLabels: { [groupKey('role')]: role } }
}

function tcp(port: number) {
  return [{ protocol: 'TCP', port }]
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
