import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { listDeadTasks } from '#core/tasks/dead-tasks.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { needs } from '#test/harness/find-server.ts'
import { start, startService } from './installation.ts'
import type { Rig } from './installation.ts'

const servers = needs('etcd', 'kube-apiserver', 'kubectl', 'nats-server', 'postgres', 'initdb')
const people = ['viewer', 'developer', 'operator', 'other-tenant', 'unbound'] as const

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(what)
}

const object = (namespace: string, name: string, service: string) => ({
  metadata: { namespace, name },
  spec: { service },
})

interface Wanted {
  readonly service: string
  /** Offered after the object was created. */
  readonly token?: string
}

/** Creates a connection as the developer of its namespace; returns its path. */
async function create({ ask }: Rig, namespace: string, name: string, { service, token }: Wanted): Promise<string> {
  const who = namespace.endsWith('-a') ? 'developer' : 'other-tenant'
  const made = await ask(who, 'POST ', object(namespace, name, service))
  assert.equal(made.status, 201, made.text)
  if (token !== undefined) {
    const given = await ask(who, `POST /${namespace}/${name}/token`, { token })
    assert.equal(given.status, 202, given.text)
  }
  return `/${namespace}/${name}`
}

const stateOf = async ({ ask }: Rig, path: string): Promise<string> =>
  (await ask('viewer', `GET ${path}/approval`)).json<{ state: string }>().state

const storedToken = async ({ database }: Rig, name: string): Promise<string> =>
  (await sql<{ token: string }>`select token from x_connections_requests where name = ${name}`.execute(database.root))
    .rows[0]?.token ?? ''

test('a kind of a third party with approval by another person, a consumer, and a sealed token', servers, async (t) => {
  const service = await startService(t)
  const rig = await start(t)
  const { a, b, ask, kube, database } = rig

  await t.test('the rights of an approver are those that the API server computes', async () => {
    for (const namespace of [a, b])
      await create(rig, namespace, 'rights', { service: service.url, token: 'secret-rights' })
    const seen = new Set<string>()
    const toKube = createSend(t, kube.url, kube.ca)
    for (const who of people)
      for (const namespace of [a, b]) {
        const may = async (verb: string, subresource?: string): Promise<boolean> => {
          const resource = { group: 'acme.example', resource: 'connections', ...(subresource ? { subresource } : {}) }
          const answer = await toKube({
            method: 'POST',
            path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
            bearer: kube.tokens[who],
            body: {
              apiVersion: 'authorization.k8s.io/v1',
              kind: 'SelfSubjectAccessReview',
              spec: { resourceAttributes: { ...resource, verb, namespace, name: 'rights' } },
            },
          })
          return answer.json<{ status: { allowed: boolean } }>().status.allowed
        }
        const [reads, approves] = [await may('get'), await may('update', 'approval')]
        seen.add(`${reads} ${approves}`)
        const shown = await ask(who, `GET /${namespace}/rights/approval`)
        assert.equal(shown.status, reads ? 200 : 403, `${who} reads in ${namespace}: ${shown.text}`)
        const own = namespace === b && who === 'other-tenant'
        if (reads) assert.equal(shown.json()['mayApprove'], approves && !own, `${who} in ${namespace}: ${shown.text}`)
        // A generation that no object has: an approver gets past the review, and approves nothing.
        const tried = await ask(who, `POST /${namespace}/rights/approval`, { generation: 99 })
        assert.equal(tried.status, approves ? 409 : 403, `${who} approves in ${namespace}: ${tried.text}`)
      }
    assert.deepEqual([...seen].toSorted(), ['false false', 'true false', 'true true'])
  })

  await t.test('an approved token is exchanged once by the worker, and the status names the approver', async () => {
    const path = await create(rig, a, 'crm', { service: service.url, token: 'secret-crm' })
    assert.equal(await stateOf(rig, path), 'pending')
    const sealed = await storedToken(rig, 'crm')
    assert.ok(sealed.length > 20 && !sealed.includes('secret'))
    assert.equal((await ask('operator', `POST ${path}/approval`, { generation: 1 })).status, 202)
    await until('connected', async () => (await stateOf(rig, path)) === 'active')
    assert.deepEqual(
      service.seen.filter((token) => token.startsWith('secret-crm')),
      ['secret-crm'],
    )
    assert.notEqual(await storedToken(rig, 'crm'), sealed)
    const again = await ask('operator', `POST ${path}/approval`, { generation: 1 })
    assert.deepEqual([again.status, again.json()['code']], [409, 'nothing_to_approve'])
    const ready = await until('the status is written', async () => {
      type Shown = { status?: { conditions?: { status: string; reason: string; message: string }[] } }
      const [condition] = (await ask('viewer', `GET ${path}`)).json<Shown>().status?.conditions ?? []
      return condition?.status === 'True' && condition
    })
    assert.deepEqual([ready.reason, ready.message], ['Connected', 'Approved by operator.'])
  })

  await t.test('a request needs the approval of another person, whose right is reviewed at that moment', async () => {
    const path = await create(rig, b, 'own', { service: service.url, token: 'secret-own' })
    const own = await ask('other-tenant', `POST ${path}/approval`, { generation: 1 })
    assert.deepEqual([own.status, own.json()['code']], [409, 'own_request'])
    const held = await create(rig, a, 'held', { service: service.url, token: 'secret-held' })
    await rig.run(['delete', 'rolebinding', 'operator-operator', '-n', a])
    await until('the API server knows', async () => {
      const shown = await ask('operator', `GET ${held}/approval`)
      return shown.json()['mayApprove'] === false
    })
    assert.equal((await ask('operator', `POST ${held}/approval`, { generation: 1 })).status, 403)
    await rig.run([
      'create',
      'rolebinding',
      'operator-operator',
      '--clusterrole=mesh-plugin-connections-operator',
      '--user=operator',
      '-n',
      a,
    ])
    await until(
      'the API server knows',
      async () => (await ask('operator', `GET ${held}/approval`)).json()['mayApprove'] === true,
    )
  })

  await t.test('what changed after it was offered is not approved, and its token is gone', async () => {
    const path = await create(rig, a, 'changed', { service: service.url, token: 'secret-changed' })
    assert.equal((await ask('developer', `PUT ${path}`, object(a, 'changed', `${service.url}/evil`))).status, 200)
    const late = await ask('operator', `POST ${path}/approval`, { generation: 1 })
    assert.ok(['request_changed', 'nothing_to_approve'].includes(String(late.json()['code'])), late.text)
    await until('withdrawn', async () => (await storedToken(rig, 'changed')) === '')
    assert.equal(await stateOf(rig, path), 'none')
    const gone = await create(rig, a, 'gone', { service: service.url, token: 'secret-gone' })
    assert.equal((await ask('developer', `DELETE ${gone}`)).status, 204)
    await until('withdrawn', async () => (await storedToken(rig, 'gone')) === '')
    assert.ok(!service.seen.some((token) => /changed|gone/.test(token)))
  })

  await t.test('a sealed token opens for its object and service only', async () => {
    const [from, to] = [
      await create(rig, a, 'from', { service: service.url, token: 'secret-from' }),
      await create(rig, a, 'to', { service: service.url, token: 'secret-to' }),
    ]
    await sql`update x_connections_requests set token = ${await storedToken(rig, 'from')} where name = 'to'`.execute(
      database.root,
    )
    await sql`update x_connections_requests set service = ${`${service.url}/evil`} where name = 'from'`.execute(
      database.root,
    )
    for (const path of [from, to])
      assert.equal((await ask('operator', `POST ${path}/approval`, { generation: 1 })).status, 202)
    const dead = await until('both are dead', async () => {
      const found = await listDeadTasks(database)
      return found.length === 2 && found
    })
    assert.deepEqual(
      dead.map(({ error }) => error),
      ['NotOpenable', 'NotOpenable'],
    )
    assert.ok(!service.seen.some((token) => /from|to$/.test(token)))
  })

  await t.test('odd input is refused by field, and stores nothing', async () => {
    const path = await create(rig, a, 'odd', { service: service.url })
    for (const body of [
      {},
      { token: '' },
      { token: 'x'.repeat(4097) },
      { token: 1 },
      { token: 'x', more: 1 },
      { token: '\0' },
      { token: '\ud800' },
    ]) {
      const answer = await ask('developer', `POST ${path}/token`, body)
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 60))
      assert.ok(!answer.text.includes('\ud800'))
    }
    for (const generation of [0, -1, 1.5, 1e308, '1', null])
      assert.equal((await ask('operator', `POST ${path}/approval`, { generation })).status, 400, String(generation))
    for (const who of ['nothing', 'unbound'])
      assert.equal((await ask(who, `POST ${path}/token`, { token: 'x' })).status, who === 'unbound' ? 403 : 401)
    assert.equal(await storedToken(rig, 'odd'), '')
  })

  const events = await sql`select data from events`.execute(database.root)
  assert.doesNotMatch(rig.logged.join('') + JSON.stringify(events.rows), /secret-/)
})
