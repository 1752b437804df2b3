import type { TObject } from 'typebox'
import { declaredMetrics } from '../../../scripts/generators/metrics.ts'
import { sharedRefusals } from '../../../scripts/generators/launcher-ports.ts'
import { allSettings } from '../../../scripts/settings/all-settings.ts'
import { settingRows } from '../../../scripts/settings/setting-row.ts'
import { connectPart } from '#plugins/providers/connect/endpoints.ts'
import type { ProvidersServices } from '#plugins/providers/services/create-services.ts'
import { coreErrors } from '#core/errors/core-errors.ts'
import { describeApi } from '#core/host/role/describe-api.ts'
import { refusals } from '#launcher/contract/http/refusal.ts'
import { listenerDefinitions } from '#launcher/listener-definitions.ts'
import { agentEnvironment } from '#plugins/agents/reconcile/pod/environment.ts'
import { agentOf, hookToken, settings } from '#plugins/agents/testing/agent-fixture.ts'
import { hourly } from '#plugins/audit/jobs.ts'
import { toAuditEvent } from '#plugins/audit/rows/audit-event.ts'
import { plugins } from '#plugins/index.ts'
import { DEFAULT_TTL } from '#plugins/memory/session/session-memory.ts'
import { PRIVATE_MODE } from '#cli/contract/write-private-file.ts'
import { AuditEvent, AuditPage } from '#schemas/api/audit.ts'
import { Tenant } from '#schemas/crds/tenant.ts'
import { ENVELOPE_HEADERS } from '#schemas/launcher/envelope.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import { commandNames } from './command-names.ts'

/** Every name that the platform serves, in the notation of names.yaml. */
export interface ServedNames {
  /** Of the API, with query parameters and documented statuses. */
  readonly api: ReadonlySet<string>
  /** Of the launcher's listeners. */
  readonly launcher: ReadonlySet<string>
  readonly headers: ReadonlySet<string>
  readonly auditPage: ReadonlySet<string>
  readonly auditFields: ReadonlySet<string>
  readonly ports: ReadonlySet<string>
  readonly agentVariables: ReadonlySet<string>
  readonly settings: ReadonlySet<string>
  readonly commands: ReadonlySet<string>
  readonly exitCodes: ReadonlySet<string>
  readonly errors: ReadonlySet<string>
  readonly limits: ReadonlySet<string>
  readonly metrics: ReadonlySet<string>
}

/** Reads the names from contracts, schemas and tables; nothing is started. */
export async function servedNames(): Promise<ServedNames> {
  const [commands, sections, metrics] = await Promise.all([commandNames(), allSettings(), declaredMetrics()])
  const rows = sections.flatMap(({ schema, sources }) => settingRows(schema, sources))
  const ports = listenerDefinitions.flatMap(({ port }) => port).map(({ name }) => String(reservedPorts[name].port))
  const gateway = rows.find(({ key }) => key === 'listen.gateway')?.preset.replaceAll('`', '') ?? ''
  return {
    api: await apiNames(),
    launcher: new Set(launcherNames()),
    headers: new Set(ENVELOPE_HEADERS),
    auditPage: new Set(Object.keys(AuditPage.properties)),
    auditFields: auditFieldNames(),
    ports: new Set([...ports, gateway]),
    agentVariables: plannedVariables(),
    settings: new Set(sections.flatMap(({ sources }) => sources.map(({ from }) => from))),
    ...commands,
    errors: new Set([
      ...Object.entries(coreErrors).map(([code, { status }]) => `BFF ${status} ${code}`),
      ...routesThatMayBeHidden(),
    ]),
    limits: limitNames(rows.find(({ variable }) => variable === '`AUDIT_RETENTION_DAYS`')?.preset ?? ''),
    metrics: new Set(metrics.flatMap(({ specs }) => specs.map(({ name }) => name))),
  }
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
}

async function apiNames(): Promise<ReadonlySet<string>> {
  const { paths } = (await describeApi(plugins, '0.0.0')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const names = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      const route = `${method.toUpperCase()} ${path}`
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => `${route} ?${name}`)
      return [route, ...query, ...Object.keys(responses).map((status) => `${route} ${status}`)]
    }),
  )
  return new Set(names)
}

function launcherNames(): string[] {
  return listenerDefinitions
    .flatMap(({ port }) => port)
    .flatMap(({ name, routes }) => {
      const { port } = reservedPorts[name]
      return Object.values(routes).flatMap(({ method, path, summary, refusals: codes = [] }) => {
        const route = `${port} ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
        // A contract has no field for query parameters; its summary names them.
        const query = [...summary.matchAll(/`(\w+)`/g)].map(([, parameter]) => `${route} ?${parameter}`)
        return [
          route,
          ...query,
          ...[...codes, ...sharedRefusals].map((code) => `${port} ${refusals[code].status} ${code}`),
        ]
      })
    })
}

function auditFieldNames(): ReadonlySet<string> {
  const row = { ...textRow, occurred_at: new Date(0), actor_exact: true, detail: {} } as const
  const mapped = Object.keys(toAuditEvent(row))
  const values = Object.entries(AuditEvent.properties).flatMap(([field, schema]) =>
    mapped.includes(field) ? [field, ...enumOf(schema).map((value) => `${field} ${value}`)] : [],
  )
  return new Set(values)
}

const textRow = {
  id: '1',
  source: 'bff',
  actor: 'a',
  actor_kind: 'user',
  action: 'create',
  resource_kind: 'Tenant',
  resource_name: 'n',
  namespace: '',
  outcome: 'success',
  trace_id: 't',
} as const

function enumOf(schema: object): readonly string[] {
  return 'enum' in schema && Array.isArray(schema.enum) ? schema.enum.map(String) : []
}

// A pod with every capability bound.
function plannedVariables(): ReadonlySet<string> {
  const agent = agentOf({
    model: { route: 'mock' },
    memory: { session: {} },
    tools: [{ name: 'search', bindingRef: { name: 'search' } }],
    registries: [{ name: 'team' }],
  })
  const platform = { ...settings, modelProxy: true, ports: ['feedback'] as const, hookToken }
  return new Set(agentEnvironment(agent, platform).map(({ name }) => name))
}

function limitNames(retentionDays: string): ReadonlySet<string> {
  const quota = Tenant.spec.properties['quota'] as TObject | undefined
  return new Set([
    `session-memory TTL ${DEFAULT_TTL}`,
    `AUDIT_RETENTION_DAYS ${retentionDays.replaceAll('`', '')}`,
    `audit prune cadence ${hourly / 1000} s`,
    `download-fixture file mode ${PRIVATE_MODE.toString(8)}`,
    ...Object.keys(quota?.properties ?? {}).map((dimension) => `tenant quota ${dimension}`),
  ])
}

// The document of the API has no route that a setting hides.
function routesThatMayBeHidden(): readonly string[] {
  const hidden = { core: {}, settings: { connect: { enabled: false } } } as unknown as ProvidersServices
  const { wiring, endpoints } = connectPart(hidden)
  return wiring === 'hidden' ? endpoints.map(({ method, url }) => `${method} /api${url} 404`) : []
}
