import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { addBudgetedAgent, addRoutes, createLauncher, startStateRole } from '#plugins/budgets/testing/state-role.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { MAX_SPAN_BATCH_BYTES } from '#schemas/launcher/traces.ts'
import { needs } from '#test/harness/find-server.ts'
import { traces } from './index.ts'
import { exportOf, spanId, spanOf } from './testing/spans.ts'

const namespace = `traces-${process.pid}`

// One state role for all cases.
test('spans of agents', needs('kube-apiserver', 'etcd', 'postgres', 'initdb'), async (t) => {
  const { admin, url, database, metrics } = await startStateRole(t, { also: [traces as AnyPlugin] })
  await addRoutes(admin, namespace)
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', '', ${namespace}, '1', '')`.execute(database.root)
  const world = createWorld(database)
  const agentOf = async (name: string) => {
    const { uid, token } = await addBudgetedAgent(admin, namespace, name)
    const { post } = createLauncher(url, token)
    return {
      send: (body: unknown) => post('/spans', body),
      run: () => queueRunOf(world, { agent: { namespace, name, uid } }),
    }
  }
  const [mine, other] = [await agentOf('mine'), await agentOf('other')]
  const run = await mine.run()
  const stored = async () =>
    (
      await sql<{ agent_name: string; spans: number }>`select agent_name, spans from traces_chunks`.execute(
        database.root,
      )
    ).rows

  await t.test('the launcher of an agent stores spans of its runs; another one cannot, and is counted', async () => {
    const { status, body } = await mine.send(exportOf(spanOf(run.trace_id, spanId(0))))
    assert.deepEqual([status, body], [200, { accepted: 1, rejected: 0 }])
    const foreign = await other.send(exportOf(spanOf(run.trace_id, spanId(1))))
    assert.deepEqual([foreign.status, foreign.body], [200, { accepted: 0, rejected: 1 }])
    assert.deepEqual(await stored(), [{ agent_name: 'mine', spans: 1 }])
    assert.match(await metrics(), /mesh_traces_spans_total\{outcome="foreign_trace"[^}]*\} 1\n/)
  })

  await t.test(
    'SEC: without a token for the state role, and for an account without an agent, nothing is stored',
    async () => {
      const body = exportOf(spanOf(run.trace_id, spanId(2)))
      const wrong = [
        ['', 401],
        ['x'.repeat(20), 401],
        [await tokenOf(admin, namespace, 'mine'), 401],
        [await tokenOf(admin, 'mesh-system', 'mesh-bff', 'state'), 403],
      ] as const
      for (const [token, status] of wrong)
        assert.equal((await createLauncher(url, token).post('/spans', body)).status, status)
      assert.equal((await stored()).length, 1)
    },
  )

  await t.test('F1, F9: what is no export request is refused by name, and nothing is stored', async () => {
    for (const [body, status] of [
      ['[]', 400],
      ['{"resourceSpans":1}', 400],
      ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":1}]}]}]}', 400],
      ['{"resourceSpans":[', 400],
      [`{"x":"${'x'.repeat(MAX_SPAN_BATCH_BYTES)}"}`, 413],
      [`{"resourceSpans":${'['.repeat(5000)}`, 400],
    ] as const)
      assert.equal((await mine.send(body)).status, status, body.slice(0, 60))
    const { body } = await mine.send('{"resourceSpans":{}}')
    assert.match(String(body['detail']), /resourceSpans: must be a list of objects/)
    assert.equal((await stored()).length, 1)
  })

  await t.test('F1: texts that PostgreSQL cannot store are refused; keys of a prototype are stored', async () => {
    const span = (fields: object) => exportOf(spanOf(run.trace_id, spanId(3), fields))
    for (const name of ['a\0b', '\ud800']) assert.equal((await mine.send(span({ name }))).status, 400)
    const attributes = [{ key: '__proto__', value: { stringValue: 'a' } }]
    assert.deepEqual((await mine.send(span({ attributes }))).body, { accepted: 1, rejected: 0 })
  })
})
