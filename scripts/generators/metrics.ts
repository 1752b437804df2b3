import { existsSync, readdirSync } from 'node:fs'
import type { MetricSpec } from '#core/telemetry/metrics.ts'

/** docs/reference/metrics.md, from every `metrics.ts` of core, the plugins and the launcher. */
export async function generate(): Promise<Map<string, string>> {
  const sections = (await declaredMetrics()).map(({ title, specs }) => toSection(title, specs))
  return new Map([['docs/reference/metrics.md', `${preface}\n${sections.join('\n')}`]])
}

/** A group of metrics, titled by its exported name. */
export interface MetricGroup {
  readonly title: string
  readonly specs: readonly MetricSpec[]
}

/** Every declared metric. Throws if two share a name. */
export async function declaredMetrics(): Promise<readonly MetricGroup[]> {
  const { plugins } = await import('#plugins/index.ts')
  const files = plugins
    .map(({ name }) => new URL(`../../plugins/${name}/contract/metrics.ts`, import.meta.url))
    .filter((file) => existsSync(file))
  const modules: readonly Readonly<Record<string, unknown>>[] = [
    ...(await Promise.all([...coreFiles(), ...files].map((file) => import(file.href)))),
    await import('#launcher/telemetry/metrics.ts'),
  ]
  const groups = modules.flatMap((module) => Object.entries(module).flatMap(([name, value]) => toGroup(name, value)))
  refuseTwins(groups.flatMap(({ specs }) => specs))
  return groups
}

function coreFiles(): URL[] {
  const core = new URL('../../core/', import.meta.url)
  return readdirSync(core, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)(?:(?:process|trace)-)?metrics\.ts$/.test(file))
    .toSorted()
    .map((file) => new URL(file, core))
}

function toGroup(name: string, value: unknown): MetricGroup[] {
  if (typeof value !== 'object' || value === null) return []
  const specs = Object.values(value).filter(isSpec)
  return specs.length === 0 ? [] : [{ title: name.replace(/Metrics$/, ''), specs }]
}

function isSpec(value: unknown): value is MetricSpec {
  return typeof value === 'object' && value !== null && 'help' in value && 'roles' in value
}

function refuseTwins(specs: readonly MetricSpec[]): void {
  const names = specs.map(({ name }) => name)
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin !== undefined) throw new Error(`${twin} is declared twice`)
}

const preface = `# Metrics

Generated from the \`metrics.ts\` files; \`npm run generate\` writes it, \`npm run check\` fails when it differs. Every role serves them as
Prometheus text at \`/metrics\` of its admin port (\`MESH_ADMIN_PORT\`, 8081), without a bearer: keep that port inside the cluster. A role
exports what it has done so far, so a series may be absent until its first event. Labels are bounded: templates of routes, kinds, names of
consumers, jobs and reconcilers; never a user, a run or an agent. Dashboard and alerts: \`deploy/observability\`.

Launchers serve no metrics. With \`OTEL_EXPORTER_OTLP_ENDPOINT\` they push theirs every 15 s to its \`/v1/metrics\`, from the first run on; the
resource names the agent (\`service.namespace\`, \`service.name\`, \`service.instance.id\`).
`

function toSection(title: string, specs: readonly MetricSpec[]): string {
  const rows = specs.map(
    ({ name, kind, labels, roles, help }) =>
      `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${roles.join(', ')} | ${help} |`,
  )
  return `## ${title}\n\n| metric | kind | labels | roles | meaning |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
}
