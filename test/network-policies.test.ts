import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parseAllDocuments } from 'yaml'

type Labels = Readonly<Record<string, string>>
interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'Exists' }[]
}
interface Policy {
  readonly kind: 'NetworkPolicy'
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly podSelector: Selector
    readonly policyTypes: readonly string[]
    readonly ingress: readonly {
      readonly from?: readonly { readonly namespaceSelector?: Selector; readonly podSelector?: Selector }[]
      readonly ports: readonly { readonly protocol: string; readonly port: number; readonly endPort?: number }[]
    }[]
  }
}
interface Deployment {
  readonly kind: 'Deployment'
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: {
        readonly containers: readonly [{ readonly ports: readonly { readonly containerPort: number }[] }]
      }
    }
  }
}

const base = new URL('../deploy/base/', import.meta.url)
const read = <T>(file: string): readonly T[] =>
  parseAllDocuments(readFileSync(new URL(file, base), 'utf8')).map((one) => one.toJS() as T)
const policies = read<Policy>('network-policies.yaml')

/** Where a connection comes from: labels of its pod, and of the namespace. */
interface Source {
  readonly pod: Labels
  readonly namespace: Labels
}

const system = { 'kubernetes.io/metadata.name': 'mesh-system', 'mesh.dev/component': 'platform' }
const sources: Readonly<Record<string, Source>> = {
  stranger: { pod: { app: 'x' }, namespace: { 'kubernetes.io/metadata.name': 'other' } },
  agent: { pod: { 'mesh.dev/agent': 'hello' }, namespace: { 'kubernetes.io/metadata.name': 'team-a' } },
  candidate: { pod: { 'mesh.dev/candidate-of': 'hello' }, namespace: { 'kubernetes.io/metadata.name': 'team-a' } },
  role: { pod: { 'mesh.dev/role': 'bff' }, namespace: system },
  prometheus: { pod: { app: 'p' }, namespace: { 'kubernetes.io/metadata.name': 'monitoring' } },
  scraper: { pod: { app: 's' }, namespace: { 'kubernetes.io/metadata.name': 'm', 'mesh.dev/monitoring': 'true' } },
}
const everyone = Object.keys(sources)
const monitoring = ['prometheus', 'scraper']

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator }) => operator === 'Exists' && key in labels)
  )
}

// As the API documents it: a pod without a policy takes everything; peers without namespaceSelector are of the policy's namespace.
function admits(target: Labels, port: number, { pod, namespace }: Source): boolean {
  const about = policies.filter(({ spec }) => spec.policyTypes.includes('Ingress') && selects(spec.podSelector, target))
  if (about.length === 0) return true
  return about.some(({ spec }) =>
    spec.ingress.some(
      ({ from, ports }) =>
        ports.some((one) => one.protocol === 'TCP' && one.port <= port && port <= (one.endPort ?? one.port)) &&
        (from ?? [{ namespaceSelector: {} }]).some(
          ({ namespaceSelector, podSelector = {} }) =>
            (namespaceSelector === undefined ? namespace === system : selects(namespaceSelector, namespace)) &&
            selects(podSelector, pod),
        ),
    ),
  )
}

const expected: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  bff: { 8080: everyone, 8081: monitoring, 8083: [] },
  gateway: { 4000: everyone, 8081: monitoring, 8083: [] },
  state: { 3002: ['agent', 'candidate', 'role'], 8081: monitoring, 8083: [] },
  worker: { 8081: monitoring, 8083: [] },
  // 8082: the audit webhook of the API server, which comes from no pod.
  manager: { 8081: monitoring, 8082: everyone, 8083: [] },
}

for (const [role, ports] of Object.entries(expected)) {
  test(`PODS10: who reaches the ports of ${role}, by the selectors of the shipped policies`, () => {
    const deployment = read<Deployment>(`${role}.yaml`).find(({ kind }) => kind === 'Deployment')
    assert.ok(deployment)
    const { metadata, spec } = deployment.spec.template
    const listening = spec.containers[0].ports.map(({ containerPort }) => containerPort)
    assert.deepEqual(
      listening.filter((port) => ports[port] === undefined),
      [],
      'each port of the manifest is expected',
    )
    for (const [port, wanted] of [...Object.entries(ports), ['9999', []] as const]) {
      const found = Object.entries(sources).filter(([, source]) => admits(metadata.labels, Number(port), source))
      assert.deepEqual(
        found.map(([name]) => name),
        wanted,
        `${role}:${port}`,
      )
    }
  })
}
