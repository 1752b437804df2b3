import { sql } from 'kysely'
import type { Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import { until } from '../until.ts'
import type { Stage } from './stage.ts'

const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

/** Creates a namespace for one case. */
export async function makeNamespace(stage: Stage, prefix: string): Promise<string> {
  const name = `${prefix}-${Date.now().toString(36)}`
  await stage.admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return name
}

let probes = 0

/** Creates a template at the API server and waits for its audit row, which requires informer, database, relay, bus and consumer. */
export async function probe(stage: Stage): Promise<true> {
  const name = `probe-${process.pid}-${++probes}`
  const namespace = 'default'
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
  const spec = { title: name, template: { spec: { model: { route: 'mock' } } } }
  await stage.admin.create(AgentTemplate, AgentTemplate.object({ metadata: { namespace, name }, spec }))
  return until(
    'the row of a probe',
    async () => {
      const { rows } =
        await sql`select 1 from audit_log where namespace = ${namespace} and resource_name = ${name}`.execute(
          stage.database.root,
        )
      return rows.length > 0
    },
    120_000,
  ).finally(() => stage.admin.delete(AgentTemplate, ref).catch(() => undefined))
}
