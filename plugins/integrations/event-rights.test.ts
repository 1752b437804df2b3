import assert from 'node:assert/strict'
import test from 'node:test'
import { createCallers } from '#core/cluster/callers.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { describeCatalog } from '#core/host/role/describe-api.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { rightToSee } from '#core/event-rights/right-to-see.ts'
import { plugins } from '#plugins/index.ts'
import { declaredTypes } from './testing/event-feed.ts'
import { createEventRights } from '#core/event-rights/event-rights.ts'
import { objectCreated } from '#core/controllers/objects/object-events.ts'
import { runCreated, runStarted } from '#plugins/runs/contract/events.ts'

test('CON3: an event of a declared kind is shown by the right on its declared resource', () => {
  const kinds = [{ kind: 'Shelf', plural: 'shelves', group: 'library.example' }]
  const event = { subject: { namespace: 'default', kind: 'Shelf', name: 'x' }, data: {} }
  const right = rightToSee({ ...runCreated, seenBy: undefined }, event, kinds)
  assert.deepEqual(right, { verb: 'get', resource: 'shelves', group: 'library.example' })
})

test('CON3: every event of audit requires the right of GET /api/audit', async () => {
  const catalog = await describeCatalog(plugins, '0.0.0')
  const authz = catalog.find(({ endpoint: { method, url } }) => method === 'GET' && url === '/audit')?.endpoint.authz
  assert.ok(authz?.kind === 'review')
  const types = declaredTypes.filter(({ plugin }) => plugin === 'audit')
  assert.equal(types.length, 4)
  for (const { type, seenBy } of types) assert.deepEqual(seenBy, { verb: authz.verb, resource: authz.resource }, type)
})

test('CON3: a stream reviews each right once, and again after 30 s', needs('etcd', 'kube-apiserver'), async (t) => {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const caller = await createCallers({ server: kube.url, pool }).as(kube.tokens['admin'] ?? '')
  const asked: string[] = []
  const clock = { now: 0 }
  const rights = createEventRights({
    caller: {
      may: (verb, resource, where) => {
        asked.push(`${verb} ${resource} ${where.namespace}`)
        return caller.may(verb, resource, where)
      },
    },
    types: new Map([runCreated, runStarted].map((type) => [type.type, type])),
    kinds: [],
    namespace: 'default',
    now: () => clock.now,
  })
  const event = (type: string): StoredEvent =>
    ({ type, subject: { namespace: 'default', kind: 'Run', name: 'x' }, data: {} }) as StoredEvent
  const maySee = (type: string): Promise<boolean> => rights.maySee(event(type))
  assert.deepEqual(await Promise.all([maySee(runCreated.type), maySee(runStarted.type)]), [true, true])
  clock.now = 29_999
  assert.equal(await maySee(runCreated.type), true)
  assert.deepEqual(asked, ['get runs default'])
  assert.equal(await maySee('com.acme.local.undeclared.v1'), false)
  clock.now = 30_000
  assert.equal(await maySee(runCreated.type), true)
  assert.deepEqual(asked, ['get runs default', 'get runs default'])
})

test(
  'CON3: a plugin learns which types a caller may see in a namespace, as the API server decides',
  needs('etcd', 'kube-apiserver'),
  async (t) => {
    const kube = await sharedKube(t)
    const pool = createPool(kube.url, { ca: kube.ca })
    t.after(() => pool.close())
    const callers = createCallers({ server: kube.url, pool })
    const types = new Map(declaredTypes.map((type) => [type.type, type]))
    const hidden = declaredTypes.filter(({ seenBy }) => seenBy === 'none')
    const rightsOf = async (who: string) =>
      createEventRights({ caller: await callers.as(kube.tokens[who] ?? ''), types, kinds: [], namespace: '' })
    const admin = await rightsOf('admin')
    const all = await admin.typesIn('default', 'Run')
    assert.deepEqual(
      [...types.keys()].filter((type) => !all.has(type)),
      hidden.map(({ type }) => type),
    )
    const withoutKind = await admin.typesIn('default')
    assert.equal(withoutKind.has(objectCreated.type), false, 'its right depends on the kind')
    assert.ok(all.has(objectCreated.type))
    const unbound = await rightsOf('unbound')
    assert.deepEqual([...(await unbound.typesIn('default', 'Run'))], [])
    for (const kind of ['', '\0', '../x', 'x'.repeat(10_000)])
      assert.equal((await unbound.typesIn('default', kind)).size, 0)
    await assert.rejects(admin.typesIn('../x', 'Run'), /namespace/)
  },
)
