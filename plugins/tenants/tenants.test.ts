import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import { namespaceKind } from '#core/cluster/served-namespaces.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { silent, until } from '#core/controllers/testing/following.ts'
import { clusters } from '#plugins/providers/testing/manager.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { Tenant } from '#schemas/crds/tenant.ts'
import type { TenantObject, TenantSpec } from '#schemas/crds/tenant.ts'
import { needs } from '#test/harness/find-server.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createTenantLimits } from './limit-source.ts'
import { createQuotaPodPart } from './pod-part.ts'
import { quotasProjection } from './projections.ts'
import { createRecordQuota } from './store/record-quota.ts'
import { tenantReconciler } from './reconcilers.ts'
import { usagePart } from './routes.ts'
import { createTenantQuotas } from './store/quotas.ts'
import type { StoredTenant } from './store/quotas.ts'

const tenantsMigrations = { name: 'tenants', migrations: new URL('./migrations/', import.meta.url) }
const embedded = needs('initdb')
let count = 0

/** A store with the projection. */
async function openQuotas(t: TestContext) {
  const index = { name: 'cluster', migrations: clusterMigrations }
  const database = await openDatabase({ url: await createMigrated(t, [index, tenantsMigrations]) })
  t.after(() => database.close())
  const store = createStore(database, { projections: [quotasProjection] })
  return { store, database, quotas: createTenantQuotas(store) }
}

async function setUp(t: TestContext, make: keyof typeof clusters) {
  const { admin, manager } = await clusters[make](t)
  const { store, quotas, database } = await openQuotas(t)
  const stop = new AbortController()
  const record = createRecordQuota(store, quotas)
  const { part, trigger } = createQuotaPodPart()
  const triggered: string[] = []
  const reconcilers = [
    tenantReconciler({ cluster: manager, now: () => new Date(), record }),
    {
      name: 'agents',
      resource: AgentDeployment,
      watches: [{ resource: trigger.resource, toRefs: trigger.agentsOf }],
      reconcile: async (ref: { readonly name: string }, object: unknown) => {
        const added = await part(object as AgentDeploymentObject, manager)
        triggered.push(`${ref.name} ${added === undefined ? 'direct' : 'proxied'}`)
        return {}
      },
    },
  ]
  const running = runReconcilers({ cluster: manager, reconcilers, log: silent, signal: stop.signal })
  t.after(async () => {
    stop.abort()
    await running.done
  })
  const prefix = `tn-${make}-${process.pid}-${(count += 1)}`
  const namespace = async (name: string, labels: Record<string, string> = {}): Promise<string> => {
    const metadata = { name: `${prefix}-${name}`, labels }
    await admin.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata })
    return metadata.name
  }
  const tenant = (name: string, spec: TenantSpec) =>
    admin.create<TenantObject>(Tenant, {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'Tenant',
      metadata: { name: `${prefix}-${name}` },
      spec,
    })
  const read = (name: string) => admin.get<TenantObject>(Tenant, { name: parseName('name', `${prefix}-${name}`) })
  const remove = (name: string) => admin.delete(Tenant, { name: parseName('name', `${prefix}-${name}`) })
  /** Waits until a tenant's status reads as wanted: namespaces, and `Ready` by its reason. */
  const settled = (name: string, reason: string, namespaces: readonly string[]) =>
    until(`${name} is ${reason} with ${namespaces.join()}`, async () => {
      const { status, metadata } = await read(name)
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      return (
        ready?.reason === reason &&
        ready.observedGeneration === metadata.generation &&
        [...(status?.namespaces ?? [])].toSorted().join() === [...namespaces].toSorted().join()
      )
    })
  const ownersOf = async (name: string) =>
    (await quotas.ofNamespace(name)).map((one) => one.name.replace(`${prefix}-`, ''))
  return {
    admin,
    manager,
    store,
    quotas,
    database,
    namespace,
    tenant,
    read,
    remove,
    settled,
    ownersOf,
    triggered,
    prefix,
  }
}

for (const make of ['real', 'embedded'] as const) {
  const options = needs('initdb', ...(make === 'real' ? (['kube-apiserver', 'etcd'] as const) : []))

  test(
    `a tenant's namespaces follow names and labels, and its quota is stored for them (${make})`,
    options,
    async (t) => {
      const { admin, namespace, tenant, settled, ownersOf, quotas, prefix, read, store, database, remove } =
        await setUp(t, make)
      const [one, two] = [await namespace('one'), await namespace('two', { team: prefix })]
      const later = `${prefix}-later`
      const quota = { spend: { amount: '5.5' }, concurrency: 4 }
      const namespaceSelector = { matchLabels: { team: prefix } }
      const made = await tenant('a', { namespaces: [one, later], namespaceSelector, quota })
      await settled('a', 'Ready', [later, one, two])
      const resolved = (await read('a')).status?.conditions?.find(({ type }) => type === 'ResolvedRefs')
      assert.deepEqual([resolved?.status, resolved?.reason], ['False', 'NamespaceMissing'])
      const [stored] = await quotas.ofNamespace(later)
      assert.deepEqual(stored, {
        uid: made.metadata.uid,
        name: `${prefix}-a`,
        quota: { spend: { amount: '5.5', currency: 'USD', window: 'month' }, concurrency: 4 },
      })
      const label = (name: string, team: string | null) =>
        admin.patch(
          namespaceKind,
          { name: parseName('name', name) },
          { type: 'merge', body: { metadata: { labels: { team } } } },
        )
      await label(two, null)
      await settled('a', 'Ready', [later, one])
      assert.deepEqual(await ownersOf(two), [])
      await label(two, prefix)
      await settled('a', 'Ready', [later, one, two])
      assert.equal((await store.readStream(`tenants/${made.metadata.uid}`)).length, 3, 'one event per change')
      // As the informer records a deletion, while a reconcile may still have the tenant that it read before.
      await remove('a')
      const uid = made.metadata.uid ?? ''
      await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, deleted_at)
        values (${uid}, 'Tenant', '', ${`${prefix}-a`}, '1', '', now())`.execute(database.root)
      await store.transact((tx) =>
        tx.append('cluster/tenants', 'any', [
          {
            type: objectDeleted,
            subject: { namespace: undefined, kind: 'Tenant', name: `${prefix}-a` },
            data: {
              group: 'mesh.dev',
              kind: 'Tenant',
              uid,
              resourceVersion: '1',
              specHash: 'x',
            },
          },
        ]),
      )
      assert.deepEqual(await ownersOf(one), [])
      await createRecordQuota(store, quotas)(made, [one])
      assert.deepEqual(await ownersOf(one), [], 'a reconcile that read the tenant before stores no quota')
    },
  )

  test(`a namespace in two tenants stays with the older one, with a clear condition (${make})`, options, async (t) => {
    const { namespace, tenant, settled, ownersOf, read, remove } = await setUp(t, make)
    const [one, both] = [await namespace('one'), await namespace('both')]
    // Of the same second, the name decides.
    await tenant('a', { namespaces: [both], quota: { requestsPerMinute: 5 } })
    await settled('a', 'Ready', [both])
    await tenant('b', { namespaces: [one, both], quota: { requestsPerMinute: 500 } })
    await settled('b', 'NamespaceConflict', [one])
    const accepted = (await read('b')).status?.conditions?.find(({ type }) => type === 'Accepted')
    assert.match(
      accepted?.message ?? '',
      new RegExp(`^Namespaces that belong to an older tenant: ${both} \\(tenant .*-a\\)\\.$`),
    )
    assert.deepEqual([await ownersOf(both), await ownersOf(one)], [['a'], ['b']])
    await remove('a')
    await settled('b', 'Ready', [both, one])
  })

  test(
    `agents of a namespace are reconciled when it joins or leaves a tenant with a quota (${make})`,
    options,
    async (t) => {
      const { admin, namespace, tenant, settled, triggered, remove, prefix } = await setUp(t, make)
      const own = await namespace('own')
      const name = `${prefix}-agent`
      await admin.create(AgentDeployment, {
        apiVersion: 'mesh.dev/v1alpha1',
        kind: 'AgentDeployment',
        metadata: { name, namespace: own },
        spec: { model: { route: 'mock' } },
      })
      const last = (wanted: string) =>
        until(
          `${name} ${wanted}`,
          async () => triggered.findLast((one) => one.startsWith(name)) === `${name} ${wanted}`,
        )
      await last('direct')
      await tenant('plain', { namespaces: [own] })
      await settled('plain', 'Ready', [own])
      assert.deepEqual([...new Set(triggered.filter((one) => one.startsWith(name)))], [`${name} direct`], 'no quota')
      await remove('plain')
      await tenant('quota', { namespaces: [own], quota: { concurrency: 1 } })
      await last('proxied')
      await remove('quota')
      await last('direct')
    },
  )

  test(`the API server refuses a tenant without namespaces, and a quota that is none (${make})`, options, async (t) => {
    const { admin } = await clusters[make](t)
    const bad: readonly object[] = [
      {},
      { namespaces: ['A'] },
      { namespaces: ['a/b'] },
      { namespaces: ['x'], namespaceSelector: { matchLabels: {} } },
      { namespaces: ['x'], quota: { requestsPerMinute: 0 } },
      { namespaces: ['x'], quota: { concurrency: 2 ** 31 } },
      { namespaces: ['x'], quota: { spend: { amount: '-1' } } },
      { namespaces: ['x'], quota: { spend: { amount: '1e9' } } },
      { namespaces: ['x'], quota: { spend: { amount: '1', window: 'fortnight' } } },
      { namespaces: ['x'], quota: { spend: { amount: '1', currency: 'dollars' } } },
    ]
    for (const spec of bad) {
      const metadata = { name: `tn-bad-${process.pid}` }
      const made = admin.create(Tenant, { apiVersion: 'mesh.dev/v1alpha1', kind: 'Tenant', metadata, spec })
      await assert.rejects(made, (error) => isStatus(error, 422), JSON.stringify(spec))
    }
  })
}

test('B5: a tenant of more than 1,024 namespaces says so, and its quota holds for all', embedded, async (t) => {
  const { admin, manager, namespace, tenant, settled, ownersOf, prefix, read } = await setUp(t, 'embedded')
  const named = Array.from({ length: 1_024 }, (_, at) => `${prefix}-${String(at).padStart(4, '0')}`)
  const above = await namespace('above', { team: prefix })
  const namespaceSelector = { matchLabels: { team: prefix } }
  await tenant('a', { namespaces: named, namespaceSelector, quota: { concurrency: 4 } })
  await settled('a', 'TooManyNamespaces', named)
  const ready = (await read('a')).status?.conditions?.find(({ type }) => type === 'Ready')
  assert.equal(ready?.status, 'False')
  assert.match(ready?.message ?? '', /^Only the first 1024 of 1025 namespaces, /)
  assert.deepEqual([await ownersOf(named[0] ?? ''), await ownersOf(above)], [['a'], ['a']])
  // Without the port its agents have no hold, which the gateway demands.
  const { part } = createQuotaPodPart()
  const agentIn = (name: string) => ({ metadata: { namespace: name } }) as AgentDeploymentObject
  assert.equal((await part(agentIn(named.at(-1) ?? ''), manager))?.modelProxy, true)
  assert.equal(await part(agentIn(above), manager), undefined)
  await admin.patch(
    namespaceKind,
    { name: parseName('name', above) },
    { type: 'merge', body: { metadata: { labels: { team: null } } } },
  )
  await settled('a', 'Ready', named)
  assert.deepEqual(await ownersOf(above), [])
})

test('usage of tenants without a store is 501, after authentication and before names', async (t) => {
  const core = { now: () => new Date(0) } as never
  const { app } = await buildServer(t, [
    usagePart({ core, quotas: undefined, budgets: undefined, podPart: createQuotaPodPart() }),
  ])
  const ask = (url: string, headers: Record<string, string> = { authorization: 'Bearer good-token' }) =>
    app.inject({ url, headers })
  for (const url of [
    '/api/tenants/usage',
    '/api/tenants/usage?limit=-1',
    '/api/tenants/a/usage',
    '/api/tenants/..%00/usage',
  ]) {
    const answer = await ask(url)
    assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [501, 'not_wired'], url)
    assert.equal((await ask(url, {})).statusCode, 401, url)
  }
})

test('B5: while the store is down a namespace keeps its last known limits, and an unknown one has none to go by', async () => {
  const tenant: StoredTenant = { uid: 'u', name: 't', quota: { concurrency: 2 } }
  let answer: () => Promise<readonly StoredTenant[]> = async () => [tenant]
  let asked = 0
  let now = 0
  const limits = createTenantLimits({ ofNamespace: () => (asked++, answer()) }, () => now)
  const expected = [{ subject: { kind: 'Tenant', name: 't', uid: 'u' }, concurrency: 2, countsCalls: true }]
  assert.deepEqual(await limits.limitsOf('a'), expected)
  assert.deepEqual(await limits.limitsOf('a'), expected)
  assert.equal(asked, 1, 'remembered')
  now += 6_000
  answer = async () => {
    throw new Fail('store_unavailable')
  }
  assert.deepEqual(await limits.limitsOf('a'), expected)
  await assert.rejects(limits.limitsOf('b'), { code: 'store_unavailable' })
  answer = async () => {
    throw new Error('a defect')
  }
  await assert.rejects(limits.limitsOf('a'), /a defect/, 'only an outage')
  answer = async () => [{ ...tenant, quota: {} }]
  assert.deepEqual(await limits.limitsOf('a'), [], 'a tenant without a quota limits nothing')
})
