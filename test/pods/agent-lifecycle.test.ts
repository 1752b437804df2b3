import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { apiOf, at, condition, until } from './api.ts'
import { makeCaller } from './callers.ts'
import { whatPodsSay } from './install.ts'
import { mountedOutput, mountingAgent } from './mounting-agent.ts'
import { addTeam, sharedCluster } from './cluster-fixture.ts'

const namespace = 'lifecycle'

test(
  'K1, D2: an agent lives on real pods: created, invoked, broken, rolled back, read, deleted, audited',
  { timeout: 8 * 60_000 },
  async (t) => {
    const { cluster, bffUrl, databaseUrl } = await sharedCluster()
    await addTeam(cluster, namespace)
    t.after(() => cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']))
    const developer = apiOf(bffUrl, await makeCaller(cluster, 'alice', 'mesh-developer', namespace))
    const viewer = apiOf(bffUrl, await makeCaller(cluster, 'bob', 'mesh-viewer', namespace))
    const operator = apiOf(bffUrl, await makeCaller(cluster, 'olga', 'mesh-operator'))
    const agent = `/api/agents/${namespace}/hello`
    const read = () => developer('GET', agent)
    const invoke = async (name = 'hello'): Promise<unknown> => {
      const { status, body } = await developer('POST', '/api/invoke', {
        agent: { namespace, name },
        input: 'Hi',
        timeout: '60s',
      })
      assert.deepEqual([status, at(body, 'state')], [200, 'succeeded'], JSON.stringify(body))
      return body
    }
    let failed = false
    const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      await t.test(name, { skip: failed && 'an earlier step failed' }, async () => {
        await work().catch(async (error) => {
          failed = true
          throw new Error(
            `${String(error)}\n${await whatPodsSay(cluster, namespace)}\n${await whatPodsSay(cluster, 'mesh-system')}`,
            { cause: error },
          )
        })
      })
    }

    await step('the BFF pod has no token, and the caller has the say', async () => {
      const pod = await cluster.kubectl(['-n', 'mesh-system', 'get', 'pods', '-l', 'mesh.dev/role=bff', '-o', 'json'])
      assert.doesNotMatch(pod, /serviceAccountToken/)
      assert.equal(
        (await viewer('POST', '/api/agents', { namespace, config: { name: 'no', model: { route: 'mock' } } })).status,
        403,
      )
    })
    await step('created and ready', async () => {
      const config = { name: 'hello', model: { route: 'mock' }, systemPrompt: 'You greet people.' }
      const created = await developer('POST', '/api/agents', { namespace, config })
      assert.equal(created.status, 201, JSON.stringify(created.body))
      await until('the agent is ready', read, (body) => condition(body, 'Ready') === 'True')
    })
    await step('PODA10, UXM8: invoked through the BFF, its run names the revision', async () => {
      const run = await developer('GET', `/api/runs/${String(at(await invoke(), 'runId'))}`)
      assert.equal(at(run.body, 'agent', 'revision'), 1, JSON.stringify(run.body))
    })
    await step('O6: the run was with a pod that the worker chose by the EndpointSlices', async () => {
      const database = await openDatabase({ url: databaseUrl, connections: 1 })
      const { rows } = await sql<{ place: string }>`
        select launcher ->> 'id' || ' ' || (launcher ->> 'url') as place from runs_lease
        where run_id in (select id from runs_runs where namespace = ${namespace})`
        .execute(database.root)
        .finally(() => database.close())
      const wanted = '{range .items[*]}{.metadata.uid} https://{.status.podIP}:8080{"\\n"}{end}'
      const pods = await cluster.kubectl(['-n', namespace, 'get', 'pods', '-o', `jsonpath=${wanted}`])
      assert.equal(rows.length, 1)
      assert.ok(pods.split('\n').includes(rows[0]?.place ?? 'nowhere'), `${JSON.stringify(rows)}\n${pods}`)
    })
    await step('broken: the last good revision keeps serving', async () => {
      const before = await read()
      const spec = {
        ...(at(before.body, 'spec') as object),
        image: 'mesh.local/none:1',
        runtime: { command: ['/none'] },
      }
      const metadata = { name: 'hello', namespace }
      const put = await developer('PUT', agent, {
        apiVersion: 'mesh.dev/v1alpha1',
        kind: 'AgentDeployment',
        metadata,
        spec,
      })
      assert.equal(put.status, 200, JSON.stringify(put.body))
      const good = at(before.body, 'status', 'currentRevision')
      const broken = await until('the broken revision is a candidate', read, (body) => {
        const candidate = at(body, 'status', 'candidateRevision')
        return candidate !== undefined && candidate !== good && condition(body, 'Degraded') === 'True'
      })
      assert.equal(at(broken, 'status', 'currentRevision'), good)
      await invoke()
    })
    await step('rolled back', async () => {
      const versions = await developer('GET', `${agent}/versions`)
      const items = at(versions.body, 'items')
      assert.ok(Array.isArray(items) && items.length === 2, JSON.stringify(versions))
      const revision = Math.min(...items.map((one) => Number(at(one, 'revision'))))
      assert.equal((await developer('POST', `${agent}/rollback`, { revision })).status, 200)
      await until('the agent is whole again', read, (body) => {
        const settled = at(body, 'status', 'observedGeneration') === at(body, 'metadata', 'generation')
        return settled && condition(body, 'Ready') === 'True' && condition(body, 'Degraded') !== 'True'
      })
      await invoke()
    })
    await step('its logs are read as the caller', async () => {
      const logs = () => developer('GET', `${agent}/logs?container=launcher&tail=50`)
      // The newest pod may not have logged yet, since a rollback starts new pods.
      await until('the launcher has logged', logs, (body) => typeof body === 'string' && body.length > 0)
      assert.equal((await viewer('GET', `${agent}/logs?container=launcher`)).status, 403)
    })
    await step('deleted, with everything that it owned', async () => {
      assert.equal((await developer('DELETE', agent)).status, 204)
      await cluster.kubectl(['-n', namespace, 'wait', '--for=delete', 'deployments,pods', '--all', '--timeout=60s'])
      assert.equal((await read()).status, 404)
    })
    await step('PODA23: volumes are mounted, and a container that ran out of memory once is shown', async () => {
      const items = mountingAgent(namespace, 'mounts')
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
      const readIt = () => developer('GET', `/api/agents/${namespace}/mounts`)
      const served = await until('it serves', readIt, (body) => condition(body, 'Ready') === 'True')
      assert.deepEqual(at(await invoke('mounts'), 'output'), mountedOutput)
      const { container, reason, exitCode, message } = at(served, 'status', 'lastTermination') as Record<
        string,
        unknown
      >
      assert.deepEqual([container, reason, exitCode], ['agent', 'OOMKilled', 137])
      const expected = 'container agent exceeded its memory limit of 160Mi'
      assert.equal(message, expected)
      const only = 'reason=OOMKilled,involvedObject.kind=AgentDeployment,involvedObject.name=mounts'
      const query = ['get', 'events', '-o', 'jsonpath={.items[*].message}', '--field-selector', only]
      assert.match(
        await cluster.kubectl(['-n', namespace, ...query]),
        new RegExp(`^Pod mounts-\\S+: ${expected}$`),
        'once',
      )
    })
    await step('every step is in the audit log under the caller', async () => {
      const alice = 'system:serviceaccount:people:alice'
      const wanted = [
        `create AgentDeployment ${alice}`,
        `rollback AgentDeployment ${alice}`,
        `update AgentDeployment ${alice}`,
        `delete AgentDeployment ${alice}`,
        `create Run ${alice}`,
        `create Run ${alice}`,
        `create Run ${alice}`,
        `create Run ${alice}`,
      ].toSorted()
      let seen: string[] = []
      await until(
        'all rows are written',
        async () => {
          const page = await operator('GET', `/api/audit?namespace=${namespace}&limit=200`)
          seen = auditLines(page.body)
          return { status: page.status, body: seen }
        },
        () => wanted.every((line) => count(seen, line) >= count(wanted, line)),
        30_000,
      )
      const ofAgent = (lines: readonly string[]) =>
        lines.filter((line) => line.includes(` AgentDeployment ${alice}`)).toSorted()
      assert.deepEqual(ofAgent(seen), ofAgent(wanted), 'one change, one row')
      assert.equal((await developer('GET', `/api/audit?namespace=${namespace}`)).status, 403)
    })
  },
)

function auditLines(page: unknown): string[] {
  const items = at(page, 'items')
  if (!Array.isArray(items)) return []
  return items.map((row) => ['action', 'resource_kind', 'actor'].map((name) => String(at(row, name))).join(' '))
}

function count(lines: readonly string[], line: string): number {
  return lines.filter((one) => one === line).length
}
