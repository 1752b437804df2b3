import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse, parseAllDocuments } from 'yaml'
import type { MetricSpec } from '#core/telemetry/metrics.ts'
import { needs } from '#test/harness/find-server.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { declaredMetrics } from '../scripts/generators/metrics.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Labels that the scrape adds to every series (deploy/observability/pod-monitor.yaml). */
const scraped = ['role', 'pod']

type Specs = ReadonlyMap<string, MetricSpec>
type Node = ReturnType<typeof parser.parse>['topNode']

interface Expression {
  readonly where: string
  readonly text: string
  /** Labels that a text beside the expression speaks of. */
  readonly shown: readonly string[]
}

async function specs(): Promise<Specs> {
  const all = (await declaredMetrics()).flatMap((group) => group.specs)
  return new Map(all.map((spec) => [spec.name, spec]))
}

/** What is wrong with an expression: it does not parse, or names a metric or label that no code exports. */
function complaintsOf({ text, shown }: Expression, known: Specs): string[] {
  const source = text.replaceAll('$__rate_interval', '5m')
  const tree = parser.parse(source)
  const textOf = ({ from, to }: { from: number; to: number }): string => source.slice(from, to)
  const complaints: string[] = []
  const grouped = new Set<string>()
  tree.iterate({
    enter: ({ type, node }) => {
      if (type.isError) complaints.push(`does not parse at ${node.from}`)
      if (type.name === 'VectorSelector') complaints.push(...wrongSelector(node, known, textOf))
      if (type.name !== 'GroupingLabels') return
      const labels = node.getChildren('LabelName').map(textOf)
      for (const label of labels) grouped.add(label)
      const aggregate = node.parent?.parent
      complaints.push(...(aggregate ? wrongGrouping(aggregate, labels, known, textOf) : ['stray labels']))
    },
  })
  for (const label of shown) if (!grouped.has(label)) complaints.push(`shows ${label}, which it aggregates away`)
  return complaints
}

function wrongSelector(node: Node, known: Specs, textOf: (at: Node) => string): string[] {
  const name = node.getChild('Identifier')
  const labels = name === null ? undefined : labelsOf(textOf(name), known)
  if (name === null || labels === undefined) return [`no metric ${textOf(node)}`]
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
  const asked = matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(textOf))
  return asked.filter((label) => !labels.includes(label)).map((label) => `${textOf(name)} has no label ${label}`)
}

function wrongGrouping(
  aggregate: Node,
  labels: readonly string[],
  known: Specs,
  textOf: (at: Node) => string,
): string[] {
  const complaints: string[] = []
  aggregate.cursor().iterate(({ type, node }) => {
    if (type.name !== 'VectorSelector') return
    const name = node.getChild('Identifier')
    const has = name === null ? undefined : labelsOf(textOf(name), known)
    for (const label of labels)
      if (has !== undefined && !has.includes(label)) complaints.push(`${textOf(node)} has no label ${label}`)
  })
  return complaints
}

function labelsOf(name: string, known: Specs): readonly string[] | undefined {
  const [, base = '', part] = /^(.*?)(_bucket|_sum|_count)?$/.exec(name) ?? []
  const histogram = known.get(base)
  if (part !== undefined && histogram?.kind === 'histogram')
    return [...histogram.labels, ...scraped, ...(part === '_bucket' ? ['le'] : [])]
  const spec = known.get(name)
  return spec === undefined || spec.kind === 'histogram' ? undefined : [...spec.labels, ...scraped]
}

const labelsIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, label = '']) => label)

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary?: string; readonly runbook?: string }
}

function rules(): readonly Rule[] {
  const file = parse(read('deploy/observability/alerts.yaml')) as { spec: { groups: { rules: Rule[] }[] } }
  return file.spec.groups.flatMap((group) => group.rules)
}

function expressions(): readonly Expression[] {
  const dashboard = JSON.parse(read('deploy/observability/dashboard.json')) as {
    panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[]
  }
  const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `dashboard, ${title}`,
      text: expr,
      shown: labelsIn(legendFormat, /\{\{\s*(\w+)\s*\}\}/g),
    })),
  )
  const alerts = rules().map(({ alert, expr, annotations }) => ({
    where: alert,
    text: expr,
    shown: labelsIn(annotations.summary ?? '', /\$labels\.(\w+)/g),
  }))
  return [...panels, ...alerts]
}

test('dashboard and alerts: every expression parses and asks for metrics and labels that the code exports', async () => {
  const known = await specs()
  const all = expressions()
  assert.ok(all.length > 50)
  assert.deepEqual(
    all.flatMap((one) => complaintsOf(one, known).map((complaint) => `${one.where}: ${complaint}`)),
    [],
  )
  const wrong: readonly (readonly [string, RegExp, string?])[] = [
    ['rate(mesh_nothing_total[5m])', /no metric/],
    ['sum(mesh_leader', /does not parse/],
    ['mesh_leader{user="x"}', /no label user/],
    ['sum by (le) (mesh_http_request_seconds_count)', /no label le/],
    ['mesh_http_request_seconds', /no metric/],
    ['sum by (name) (mesh_leader)', /aggregates away/, 'pod'],
  ]
  for (const [text, complaint, shown] of wrong)
    assert.match(complaintsOf({ where: '', text, shown: shown === undefined ? [] : [shown] }, known).join(), complaint)
})

test('deploy/observability: an overlay takes it in as a component', needs('kubectl'), async (t) => {
  const folder = tempFolder('overlay')
  t.after(() => folder.remove())
  const deploy = relative(folder.path, fileURLToPath(new URL('../deploy', import.meta.url)))
  writeFileSync(
    join(folder.path, 'kustomization.yaml'),
    `resources: [${deploy}/overlays/open]\ncomponents: [${deploy}/observability]\n`,
  )
  const { code, stdout, stderr } = await kubectl(join(folder.path, 'none'), ['kustomize', folder.path])
  assert.equal(code, 0, stderr)
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
  const found = (kind: string) =>
    objects
      .filter((one) => one.kind === kind && one.metadata.namespace === 'mesh-system')
      .map(({ metadata }) => metadata.name)
  assert.deepEqual([found('PodMonitor'), found('PrometheusRule')], [['mesh'], ['mesh']])
  const dashboard = objects.find(({ metadata }) => metadata.name === 'mesh-dashboard')
  assert.equal(dashboard?.metadata.labels?.['grafana_dashboard'], '1')
  assert.deepEqual(
    JSON.parse(dashboard?.data?.['mesh.json'] ?? ''),
    JSON.parse(read('deploy/observability/dashboard.json')),
  )
  // The monitor finds its port by name on every pod of a role.
  for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Deployment')) {
    const { ports = [] } = spec?.template?.spec.containers[0] ?? {}
    assert.ok(
      ports.some(({ name }) => name === 'admin'),
      metadata.name,
    )
    assert.ok(spec?.template?.metadata.labels['mesh.dev/role'], metadata.name)
  }
})

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: { readonly containers: readonly { readonly ports?: readonly { readonly name?: string }[] }[] }
    }
  }
}

test('alerts: each has a summary, a severity and a section of the runbook', () => {
  const anchors = new Set(
    [...read('docs/operations/runbook.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
  const used = rules().map(({ annotations, alert, labels, for: held }) => {
    assert.match(annotations.summary ?? '', /\.$/, alert)
    assert.match(labels.severity, /^(?:critical|warning|info)$/, alert)
    assert.match(held, /^\d+[mh]$/, alert)
    const [file, anchor = ''] = annotations.runbook?.split('#') ?? []
    assert.equal(file, 'docs/operations/runbook.md', alert)
    assert.ok(anchors.has(anchor), `${alert}: docs/operations/runbook.md has no section ${anchor}`)
    return alert
  })
  assert.equal(new Set(used).size, used.length)
})

test('metrics: names and labels keep to the rules of Prometheus, and no label can grow with the use', async () => {
  for (const { name, kind, labels, help } of (await specs()).values()) {
    assert.match(name, /^(?:mesh|process|nodejs)_[a-z0-9_]+$/, name)
    // Gauges of prom-client, under names that public dashboards query.
    const isCounted = name.endsWith('_total') && !/^nodejs_active_[a-z]+_total$/.test(name)
    assert.equal(isCounted, kind === 'counter', `${name}: counters and no others end in _total`)
    assert.match(help, /\.$/, name)
    const forbidden = ['job', 'instance', 'namespace', 'pod', 'role', 'le', 'user', 'agent', 'run', 'tenant', 'token']
    assert.deepEqual(
      labels.filter((label) => forbidden.includes(label)),
      [],
      name,
    )
  }
})
