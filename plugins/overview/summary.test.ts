import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { buildServer, DENIED } from '#core/http/testing/build-server.ts'
import { parseLabel } from '#core/kube/names.ts'
import { createCostApi } from '#plugins/cost/create-api.ts'
import type { CostServices } from '#plugins/cost/services.ts'
import { openCost } from '#plugins/cost/testing/cost-store.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { countRunsIn } from '#plugins/runs/store/sums/count-runs.ts'
import { readFailingAgents, readPausedRuns } from '#plugins/runs/store/run-troubles.ts'
import type { Summary } from '#schemas/api/overview.ts'
import { summaryEndpoint } from './summary.ts'

const now = () => new Date('2026-11-20T08:00:00Z')
const runsMigrations = { name: 'runs', migrations: new URL('../runs/migrations/', import.meta.url) }

async function serve(t: TestContext, open: (t: TestContext) => Promise<Database>) {
  const { database, store, observe, meter } = await openCost(t, open)
  await migrate(database, [runsMigrations])
  await observe('ns-2', 'other')
  const db = store.reader<RunsTables>()
  const runs = {
    pausedRuns: (access, top) => readPausedRuns(db, access, top),
    failingAgents: (access, since, top) => readFailingAgents(db, access, since, top),
  } as Pick<RunsApi, 'pausedRuns' | 'failingAgents'> as RunsApi
  const cost = createCostApi({ store, now } as CostServices)
  const directory = createServedDirectory(['default', 'other'].map((name) => parseLabel('namespace', name)))
  const endpoints = [summaryEndpoint({ store, now, runs, cost })]
  const { app } = await buildServer(t, [{ endpoints }], {
    store,
    directory,
    cluster: { as: async (bearer) => reader(rights[bearer] ?? {}) },
  })
  const ask = async (query = '', token = 'good-token', headers = {}) =>
    app.inject({ url: `/api/summary${query}`, headers: { authorization: `Bearer ${token}`, ...headers } })
  const run = async (namespace: string, uid: string, state: string) => {
    const id = uuidV7()
    await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id,
        root_run_id, trigger_kind, trigger_by, subject, state, pause_reason, labels, trace_id, created_at)
      values (${id}, 1, ${namespace}, ${uid}, 'robot', ${`robot-${uid}`}, ${id}, ${id}, 'api', 'x', 'x', ${state},
        ${state === 'paused' ? 'approval_required' : null}, '{}', 't', ${now()}::timestamptz - interval '1 minute')`.execute(
      database.root,
    )
    await sql`insert into runs_lease (run_id, state, wake_at, idle_since, namespace_uid)
      values (${id}, 'waiting', ${now()}, ${now()}, ${uid})`.execute(database.root)
    await store.transact((tx) => countRunsIn(tx.tables<RunsTables>(), [id]))
    return id
  }
  const object = (kind: string, namespace: string, name: string, problems: object | null) =>
    sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, problems)
      values (${`${kind}-${namespace}-${name}`}, ${kind}, ${namespace}, ${name}, '1', 'x',
        ${problems === null ? null : JSON.stringify(problems)}::jsonb)`.execute(database.root)
  return { ask, run, object, meter }
}

type Rights = Readonly<Record<string, readonly string[]>>

// Namespaces by resource; '' is the cluster.
const rights: Readonly<Record<string, Rights>> = {
  'good-token': { runs: [''], mcpservers: [''], agentdeployments: [''], costs: [''] },
  'tenant-token': { runs: ['default'], agentdeployments: ['default'] },
}

function reader(given: Rights): Caller {
  return {
    username: 'test',
    may: async (verb: string, resource: string, where: { readonly namespace: string }) =>
      given[resource]?.some((one) => one === '' || one === where.namespace)
        ? { verb, resource, ...where, username: 'test' }
        : undefined,
  } as unknown as Caller
}

const since = '2026-11-20T07:00:00.000Z'

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: the summary has each part within the rights of its caller, and an ETag`, { skip }, async (t) => {
    const { ask, run, object, meter } = await serve(t, open)
    const empty = (await ask()).json<Summary>()
    const none = { count: 0, items: [] }
    assert.deepEqual(empty.waiting, { runs: none, manifests: none })
    assert.deepEqual(empty.unwell, { agents: none, failing: none })
    const paused = await run('default', 'ns-1', 'paused')
    await run('other', 'ns-2', 'paused')
    for (let n = 0; n < 9; n++) await run('default', 'ns-1', 'succeeded')
    for (let n = 0; n < 2; n++) await run('default', 'ns-1', 'failed')
    for (let n = 0; n < 20; n++) await run('other', 'ns-2', n === 0 ? 'failed' : 'succeeded')
    const reference = { kind: 'ModelRoute', namespace: 'default', name: 'away' }
    await object('AgentDeployment', 'default', 'broken', { Degraded: { reason: 'NotFound', since, reference } })
    await object('AgentDeployment', 'default', 'well', {})
    await object('AgentDeployment', 'default', 'unread', null)
    await object('AgentDeployment', 'other', 'broken', {
      Ready: { reason: 'NotReady', since: null },
      EvalGated: { reason: 'ScoreTooLow', since },
    })
    await object('McpServer', 'other', 'tools', { ManifestAccepted: { reason: 'ManifestChanged', since } })
    for (let day = 1; day <= 12; day++)
      await meter({
        at: `2026-11-${String(day + 7).padStart(2, '0')}T12:00:00Z`,
        cost: { amount: '1', currency: 'USD', price: 'route@1' },
      })
    const all = await ask()
    const summary = all.json<Summary>()
    assert.deepEqual([summary.waiting.runs?.count, summary.unwell.agents?.count], [2, 2])
    assert.deepEqual(summary.waiting.manifests?.items, [
      {
        namespace: 'other',
        name: 'tools',
        condition: 'ManifestAccepted',
        reason: 'ManifestChanged',
        ready: true,
        since,
        reference: null,
      },
    ])
    const held = summary.unwell.agents?.items.find(({ namespace }) => namespace === 'other')
    assert.deepEqual([held?.condition, held?.reason, held?.ready], ['EvalGated', 'ScoreTooLow', false])
    assert.deepEqual(summary.unwell.failing, {
      count: 1,
      items: [{ namespace: 'default', name: 'robot', runs: 12, failed: 2 }],
    })
    assert.deepEqual(summary.spend?.cost, [{ amount: '12', currency: 'USD' }])
    assert.equal(summary.forecast?.items[0]?.restOfMonth?.to, '2026-11-30')
    const mine = (await ask('?namespace=default', 'tenant-token')).json<Summary>()
    assert.deepEqual(mine.waiting, {
      runs: {
        count: 1,
        items: [
          {
            runId: paused,
            namespace: 'default',
            agent: 'robot',
            reason: 'approval_required',
            since: now().toISOString(),
          },
        ],
      },
      manifests: null,
    })
    assert.deepEqual(mine.unwell.agents, {
      count: 1,
      items: [
        {
          namespace: 'default',
          name: 'broken',
          condition: 'Degraded',
          reason: 'NotFound',
          ready: true,
          since,
          reference,
        },
      ],
    })
    assert.deepEqual([mine.spend, mine.forecast], [null, null])
    assert.deepEqual((await ask('?scope=permitted', 'tenant-token')).json<Summary>(), mine)
    assert.deepEqual((await ask('', 'tenant-token')).json<Summary>(), mine, 'the sum over permitted namespaces')
    const nothing = (await ask('?namespace=other', 'tenant-token')).json<Summary>()
    assert.deepEqual(nothing, (await ask('', DENIED)).json<Summary>())
    assert.deepEqual(nothing, (await ask('?scope=permitted', DENIED)).json<Summary>())
    assert.deepEqual([nothing.waiting.runs, nothing.unwell.agents, nothing.unwell.failing], [null, null, null])
    const tag = String(all.headers['etag'])
    const same = await ask('', 'good-token', { 'if-none-match': tag })
    assert.deepEqual([same.statusCode, same.body], [304, ''])
    await run('default', 'ns-1', 'paused')
    assert.equal((await ask('', 'good-token', { 'if-none-match': tag })).statusCode, 200)
    for (const query of ['?namespace=..', '?namespace=a%00b', '?scope=all', '?namespace=%ED%A0%80', '?x=1'])
      assert.equal((await ask(query)).statusCode, 400, query)
  })

  test(`${name}: counts of a summary are bounded`, { skip }, async (t) => {
    const { ask, object } = await serve(t, open)
    for (let n = 0; n < 12; n++)
      await object('AgentDeployment', 'default', `a-${n}`, {
        Ready: { reason: 'NotReady', since: `2026-11-20T07:${String(n).padStart(2, '0')}:00.000Z` },
      })
    const { unwell } = (await ask()).json<Summary>()
    assert.deepEqual(
      [unwell.agents?.count, unwell.agents?.items.map((one) => ('name' in one ? one.name : ''))],
      [12, ['a-11', 'a-10', 'a-9', 'a-8', 'a-7']],
    )
  })
}
