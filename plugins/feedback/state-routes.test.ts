import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { addBudgetedAgent, addRoutes, createLauncher, startStateRole } from '#plugins/budgets/testing/state-role.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { needs } from '#test/harness/find-server.ts'
import { feedback } from './index.ts'

const namespace = `scores-${process.pid}`
const unknown = '019a0000-0000-7000-8000-000000000000'

// One state role for all cases.
test('scores of agents', needs('kube-apiserver', 'etcd', 'postgres', 'initdb'), async (t) => {
  const { admin, url, database } = await startStateRole(t, { also: [feedback as AnyPlugin] })
  await addRoutes(admin, namespace)
  const world = createWorld(database)
  const observe = (uid: string, kind: string, name: string, of = namespace) =>
    sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${uid}, ${kind}, ${of}, ${name}, '1', '')`.execute(database.root)
  await observe('ns-uid', 'Namespace', namespace, '')
  const agentOf = async (name: string) => {
    const { uid, token } = await addBudgetedAgent(admin, namespace, name)
    await observe(uid, 'AgentDeployment', name)
    const { post } = createLauncher(url, token)
    const send = (body: unknown, headers?: Record<string, string>) => post('/feedback', body, headers)
    return { uid, token, send, run: (some = {}) => queueRunOf(world, { agent: { namespace, name, uid }, ...some }) }
  }
  const [mine, other] = [await agentOf('mine'), await agentOf('other')]
  const run = await mine.run()
  const scores = async () =>
    (
      await sql<{ run_id: string; value: unknown; created_by: string }>`
      select run_id, value, created_by from feedback_scores order by id`.execute(database.root)
    ).rows

  await t.test('an agent scores its own run, by id and by trace, also after its end', async () => {
    const answers = [
      await mine.send({ runId: run.id, value: 1 }),
      await mine.send({ traceId: run.trace_id, value: 'fine', name: 'tone', comment: 'Short.' }),
    ]
    for (const { status, body } of answers) assert.equal(status, 202, JSON.stringify(body))
    const account = `system:serviceaccount:${namespace}:mine`
    assert.deepEqual(await scores(), [
      { run_id: run.id, value: 1, created_by: account },
      { run_id: run.id, value: 'fine', created_by: account },
    ])
  })

  await t.test('of a trace with runs of several agents, each scores its own first run', async () => {
    const child = await other.run({ parent: run, traceparent: `00-${run.trace_id}-${'2'.repeat(16)}-01` })
    const { body } = await other.send({ traceId: run.trace_id, value: 2 })
    const { rows } = await sql<{ run_id: string }>`
      select run_id from feedback_scores where id = ${String(body['id'])}`.execute(database.root)
    assert.deepEqual(rows, [{ run_id: child.id }])
  })

  await t.test(
    'F7: the run of another agent, of a former agent of that name and an unknown one are all unknown',
    async () => {
      const former = await queueRunOf(world, { agent: { namespace, name: 'mine', uid: 'former' } })
      const before = (await scores()).length
      const answers = [
        await other.send({ runId: run.id, value: 1 }),
        await mine.send({ runId: former.id, value: 1 }),
        await mine.send({ traceId: former.trace_id, value: 1 }),
        await mine.send({ runId: unknown, value: 1 }),
        await mine.send({ runId: '019a0000-0000-4000-8000-000000000000', value: 1 }),
      ]
      const shapes = answers.map(({ status, body }) => [status, body['code'], body['detail']])
      assert.deepEqual(new Set(shapes.map((shape) => JSON.stringify(shape))).size, 1, JSON.stringify(shapes))
      assert.deepEqual(shapes[0]?.slice(0, 2), [404, 'not_found'])
      assert.equal((await scores()).length, before)
    },
  )

  await t.test('tokens of other audiences and accounts that are no agents store nothing', async () => {
    await apply(admin, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'other-work', namespace } })
    const forApiServer = createLauncher(url, await tokenOf(admin, namespace, 'mine'))
    const request = { runId: run.id, value: 1 }
    for (const [launcher, status] of [
      [forApiServer, 401],
      [createLauncher(url, 'x.y.z'), 401],
      [createLauncher(url, await tokenOf(admin, namespace, 'other-work', 'state')), 403],
    ] as const)
      assert.equal((await launcher.post('/feedback', request)).status, status)
  })

  await t.test('a repeat with its key stores nothing; the key of another agent is another key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const before = (await scores()).length
    const [one, two] = [
      await mine.send({ runId: run.id, value: 7 }, headers),
      await mine.send({ runId: run.id, value: 7 }, headers),
    ]
    assert.deepEqual([two.status, two.body['id']], [202, one.body['id']])
    assert.equal((await mine.send({ runId: run.id, value: 8 }, headers)).body['code'], 'idempotency_conflict')
    const theirs = await other.send({ runId: (await other.run()).id, value: 7 }, headers)
    assert.deepEqual([theirs.status, theirs.body['id'] === one.body['id']], [202, false])
    assert.equal((await scores()).length, before + 2)
    assert.equal((await mine.send({ runId: run.id, value: 7 }, { 'idempotency-key': 'a b' })).status, 400)
  })

  await t.test('F1, F5, F9: hostile values are refused by name, and nothing is stored', async () => {
    const before = (await scores()).length
    const of = (fields: string): string => `{"runId":"${run.id}",${fields}}`
    for (const [text, pointer] of [
      [of('"value":1e400'), '/value'],
      [of('"value":1e13'), '/value'],
      [of('"value":-2147483648000000'), '/value'],
      [of('"value":null'), '/value'],
      [of('"value":[1]'), '/value'],
      [of('"value":""'), '/value'],
      [of(`"value":"${'x'.repeat(257)}"`), '/value'],
      [of('"value":"\\u0000"'), '/value'],
      [of('"value":1,"comment":"\\ud800"'), '/comment'],
      [of(`"value":1,"comment":"${'x'.repeat(4_001)}"`), '/comment'],
      [of('"value":1,"name":"a b"'), '/name'],
      [of('"value":1,"other":1'), '/other'],
      [`{"runId":"x","value":1}`, '/runId'],
      [`{"traceId":"${'0'.repeat(32)}","value":1}`, '/traceId'],
      [`{"value":1}`, '/runId'],
      [of('"value":1,"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"'), '/runId'],
    ] as const) {
      const { status, body } = await mine.send(text)
      const [error] = body['errors'] as { pointer: string }[]
      assert.deepEqual([status, error?.pointer], [400, pointer], text.slice(0, 120))
    }
    for (const text of [of('"value":NaN'), of('"value":1').slice(0, -1), '[]', '{}'])
      assert.equal((await mine.send(text)).status, 400, text.slice(0, 80))
    assert.equal((await mine.send(of(`"value":1,"comment":"${'x'.repeat(70_000)}"`))).status, 413)
    assert.equal((await scores()).length, before)
  })
})
