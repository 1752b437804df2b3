import { sql } from 'kysely'
import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubeServer } from '#test/harness/kube.ts'
import { startKube, sharedKube } from '#test/harness/kube.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { runInformers } from './informer.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { runReconcilers } from './controller.ts'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createWatchStates } from './watch/watch-states.ts'
import { configMaps, facts, namespaces, object, openStore, real, silent, until } from './testing/following.ts'

const rbac = (plural: string, kind: string): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})
const accounts: Resource = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
const informers = [
  { resource: namespaces, resourceKind: 'Namespace' },
  { resource: configMaps, resourceKind: 'ConfigMap' },
]

let count = 0
const label = (name: string) => parseLabel('namespace', `${name}-${process.pid}-${(count += 1)}`)
const refOf = (namespace: string, name: string) => ({
  namespace: parseLabel('namespace', namespace),
  name: parseName('name', name),
})

/** An API server, a store, and a manager for selected namespaces. */
async function setUp(t: TestContext, given?: KubeServer) {
  const kube = given ?? (await sharedKube(t))
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const { database, store } = await openStore(t)
  const makeNamespace = (name: string) =>
    admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return {
    admin,
    database,
    store,
    makeNamespace,
    make: (namespace: string, name: string) => admin.create<KubeObject>(configMaps, object(namespace, name)),
    change: (namespace: string, name: string, step: string) =>
      admin.patch(configMaps, refOf(namespace, name), { type: 'merge', body: { data: { step } } }),
    remove: (namespace: string, name: string) => admin.delete(configMaps, refOf(namespace, name)),
    /** Creates a client with the token of a service account. */
    as: async (namespace: string) => {
      const metadata = { name: 'manager', namespace }
      await admin.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} }
      const { status } = await admin.create<KubeObject>(accounts, request, { subresource: 'token' })
      const bearer = (status as { token: string }).token
      return createKubeClient({ server: kube.url, pool, bearer })
    },
    /** Allows that account to read ConfigMaps of a namespace. */
    bind: async (namespace: string, account: string) => {
      const metadata = { name: 'manager', namespace }
      const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }
      const apiVersion = 'rbac.authorization.k8s.io/v1'
      const role = { apiVersion, kind: 'Role', metadata, rules: [rule] }
      await admin.create(rbac('roles', 'Role'), role as KubeObject)
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'manager' }
      const subjects = [{ kind: 'ServiceAccount', name: 'manager', namespace: account }]
      const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects }
      await admin.create(rbac('rolebindings', 'RoleBinding'), binding as KubeObject)
    },
    /** Deletes a namespace; its finalizer is removed here, since no controller runs. */
    removeNamespace: async (name: string) => {
      await admin.delete(namespaces, { name: parseName('name', name) })
      const { items } = await admin.list(configMaps, { namespace: parseLabel('namespace', name) })
      for (const { metadata } of items) await admin.delete(configMaps, refOf(name, metadata.name))
      await finalize(kube, name)
      await until('it is gone', async () => {
        const left = await admin.list(namespaces, { fieldSelector: `metadata.name=${name}` })
        return left.items.length === 0
      })
    },
    start: (names: readonly string[], cluster: KubeClient = admin) => {
      const controller = new AbortController()
      const states = createWatchStates({ log: silent })
      const served = servedNamespaces(names)
      const running = runInformers({
        cluster,
        store,
        informers,
        served,
        states,
        log: silent,
        signal: controller.signal,
      })
      const stop = async (): Promise<void> => {
        controller.abort()
        await running.done
      }
      t.after(stop)
      return { ...running, notes: states.notes, stop }
    },
  }
}

async function finalize(kube: KubeServer, name: string): Promise<void> {
  const send = createSend({ after: () => undefined }, kube.url, kube.ca)
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } }
  const bearer = kube.tokens['admin'] ?? ''
  await send({ method: 'PUT', path: `/api/v1/namespaces/${name}/finalize`, bearer, body })
}

type Setup = Awaited<ReturnType<typeof setUp>>

/** Events about ConfigMaps and Namespaces with the given names, in commit order. */
async function factsOf({ database }: Setup, ...names: readonly string[]): Promise<string[]> {
  return (await facts(database)).filter((one) => names.includes(one.split(' ')[1] ?? ''))
}

// Deletion first marks a namespace, which is an update.
async function endsOf(it: Setup, name: string): Promise<string[]> {
  return (await factsOf(it, name)).filter((one) => !one.startsWith('updated'))
}

/** Announced gaps as `kind namespace reason`. */
async function gapsOf({ database }: Setup): Promise<string[]> {
  const rows = await database.db.selectFrom('events').selectAll().where('type', 'like', '%.gap.%').execute()
  return rows.map(({ data }) => {
    const { kind, namespace, reason } = data as { kind: string; namespace?: string; reason: string }
    return `${kind} ${namespace} ${reason}`
  })
}

test(
  'chosen namespaces: changes of these are events, of no other; a list of one says nothing of the others',
  real,
  async (t) => {
    const it = await setUp(t)
    const [a, b, c] = [label('a'), label('b'), label('c')]
    for (const name of [a, b, c]) await it.makeNamespace(name)
    for (const name of [a, b, c]) await it.make(name, `in-${name}`)
    const first = it.start([a, b])
    await first.synced
    await it.change(b, `in-${b}`, '1')
    await it.make(c, 'unseen')
    await until('the change is seen', async () => (await factsOf(it, `in-${b}`)).length === 2)
    await first.stop()
    // Versions have expired, so everything is listed; the first list of `a` must not delete objects of `b`.
    await sql`delete from namespace_resume_versions`.execute(it.database.root)
    await it.start([a]).synced
    assert.deepEqual(
      (await factsOf(it, a, b, c, `in-${a}`, `in-${b}`, `in-${c}`, 'unseen')).toSorted(),
      [`created ${a}`, `created ${b}`, `created in-${a}`, `created in-${b}`, `updated in-${b}`].toSorted(),
    )
    assert.deepEqual((await gapsOf(it)).toSorted(), [`ConfigMap ${a} start`, `Namespace ${a} start`])
  },
)

test(
  'chosen namespaces: a manager resumes where one for all namespaces left off, and back, without a gap',
  real,
  async (t) => {
    const it = await setUp(t)
    const [a, b] = [label('a'), label('b')]
    for (const name of [a, b]) await it.makeNamespace(name)
    await it.make(a, `in-${a}`)
    for (const [names, step] of [
      [[], '1'],
      [[a, b], '2'],
      [[], '3'],
      [[a], '4'],
    ] as const) {
      const manager = it.start(names)
      await manager.synced
      // After its synchronisation, so that the watch reports the first one and the next manager the second.
      await it.change(a, `in-${a}`, step)
      await until('it is seen', async () => (await factsOf(it, `in-${a}`)).length >= 2 * Number(step))
      await manager.stop()
      await it.change(a, `in-${a}`, `${step} again`)
    }
    await it.start([a]).synced
    await until('all is seen', async () => (await factsOf(it, `in-${a}`)).length === 9)
    assert.deepEqual(await gapsOf(it), [])
  },
)

test('chosen namespaces: one removed from the list is not found, and nothing is deleted', real, async (t) => {
  const it = await setUp(t)
  const [a, b] = [label('a'), label('b')]
  for (const name of [a, b]) await it.makeNamespace(name)
  for (const name of [a, b]) await it.make(name, `in-${name}`)
  const first = it.start([a, b])
  await first.synced
  await first.stop()
  await it.remove(b, `in-${b}`)
  await it.start([a]).synced
  const observed = createObserved(it.store, servedNamespaces([a]))
  assert.equal(await observed.find('ConfigMap', b, `in-${b}`), undefined)
  assert.equal(await observed.namespaceUid(b), undefined)
  assert.notEqual(await observed.find('ConfigMap', a, `in-${a}`), undefined)
  assert.notEqual(await observed.namespaceUid(a), undefined)
  assert.deepEqual((await factsOf(it, b, `in-${b}`)).toSorted(), [`created ${b}`, `created in-${b}`].toSorted())
  // Served again: changes meanwhile are reported from the stored version.
  await it.start([a, b]).synced
  await until('the deletion is seen', async () => (await factsOf(it, `in-${b}`)).includes(`deleted in-${b}`))
  assert.deepEqual(await gapsOf(it), [])
})

test(
  'chosen namespaces: one that does not exist is waited for, and followed again when it was made again',
  real,
  async (t) => {
    const it = await setUp(t)
    const [a, b] = [label('a'), label('b')]
    await it.makeNamespace(a)
    const manager = it.start([a, b])
    await manager.synced
    assert.deepEqual(manager.notes(), [`namespace ${b} does not exist`])
    for (const round of [1, 2]) {
      await it.makeNamespace(b)
      await it.make(b, `round-${round}`)
      await it.change(b, `round-${round}`, '1')
      await until('it is followed', async () => (await factsOf(it, `round-${round}`)).length === 2)
      await until('it is no note', async () => manager.notes().length === 0)
      await it.removeNamespace(b)
      await until('its end is seen', async () => (await endsOf(it, b)).length === 2 * round)
      await until('the end of its object is seen', async () => (await factsOf(it, `round-${round}`)).length === 3)
    }
    const whole = (name: string) => [`created ${name}`, `updated ${name}`, `deleted ${name}`]
    assert.deepEqual(await factsOf(it, 'round-1', 'round-2'), [...whole('round-1'), ...whole('round-2')])
    assert.deepEqual(await endsOf(it, b), [`created ${b}`, `deleted ${b}`, `created ${b}`, `deleted ${b}`])
    assert.deepEqual(await gapsOf(it), [])
  },
)

test(
  'chosen namespaces: what ended with its namespace while no manager ran is reported as deleted, late',
  real,
  async (t) => {
    const it = await setUp(t)
    const [a, b] = [label('a'), label('b')]
    for (const name of [a, b]) await it.makeNamespace(name)
    for (const name of [a, b]) await it.make(name, `in-${name}`)
    const first = it.start([a, b])
    await first.synced
    await first.stop()
    await it.removeNamespace(b)
    await it.start([a, b]).synced
    await until('it is seen', async () => (await factsOf(it, `in-${b}`)).includes(`deleted in-${b}`))
    assert.deepEqual(await factsOf(it, `in-${a}`), [`created in-${a}`])
    assert.ok((await gapsOf(it)).includes(`ConfigMap ${b} start`))
  },
)

test(
  'chosen namespaces: one that is denied is reported by name, stops no other, and is followed once allowed',
  real,
  async (t) => {
    const it = await setUp(t)
    const [a, b] = [label('a'), label('b')]
    for (const name of [a, b]) await it.makeNamespace(name)
    const account = await it.as(a)
    await it.bind(a, a)
    const reconciled: string[] = []
    const controller = new AbortController()
    const reconcilers = runReconcilers({
      cluster: account,
      reconcilers: [
        {
          name: 'test',
          resource: configMaps,
          reconcile: async ({ namespace, name }) => {
            reconciled.push(`${namespace}/${name}`)
            return {}
          },
        },
      ],
      served: servedNamespaces([a, b]),
      log: silent,
      signal: controller.signal,
    })
    t.after(async () => {
      controller.abort()
      await reconcilers.done
    })
    for (const name of [a, b]) await it.make(name, `in-${name}`)
    const manager = it.start([a, b], account)
    await Promise.all([manager.synced, reconcilers.synced])
    await until('the allowed one is followed', async () => (await factsOf(it, `in-${a}`)).length === 1)
    await until('the allowed one is reconciled', async () => reconciled.includes(`${a}/in-${a}`))
    assert.deepEqual(manager.notes(), [
      `namespace ${a}: list of namespaces is denied to system:serviceaccount:${a}:manager`,
      `namespace ${b}: list of configmaps, namespaces is denied to system:serviceaccount:${a}:manager`,
    ])
    await it.bind(b, a)
    await until('it is followed', async () => (await factsOf(it, `in-${b}`)).length === 1)
    await until('it is reconciled', async () => reconciled.includes(`${b}/in-${b}`))
    await until('it is no note', async () => !manager.notes().some((note) => note.includes('configmaps')))
  },
)

test(
  'A10, chosen namespaces: a version that one of them has lost to compaction is a gap of that one',
  real,
  async (t) => {
    const kube = await startKube(t)
    const it = await setUp(t, kube)
    const [a, b] = [label('a'), label('b')]
    for (const name of [a, b]) await it.makeNamespace(name)
    for (const name of [a, b]) await it.make(name, `in-${name}`)
    const first = it.start([a, b])
    await first.synced
    await first.stop()
    for (const step of ['1', '2']) await it.change(b, `in-${b}`, step)
    await it.make(b, 'missed')
    await it.remove(b, 'missed')
    await kube.compact()
    // The API server's cache contains versions that etcd has compacted.
    await kube.restart('apiserver')
    // Nothing changed in `a`, so its manager may have advanced to here.
    const { resourceVersion } = await it.admin.list(configMaps, { namespace: a })
    await sql`update namespace_resume_versions set rv = ${resourceVersion} where namespace = ${a} or kind = 'Namespace'`.execute(
      it.database.root,
    )
    for (const step of ['1', '2']) await it.change(a, `in-${a}`, step)
    await it.start([a, b]).synced
    await until('all is seen', async () => (await factsOf(it, `in-${a}`)).length === 3)
    assert.deepEqual(await factsOf(it, `in-${a}`), [`created in-${a}`, `updated in-${a}`, `updated in-${a}`])
    assert.deepEqual(await factsOf(it, `in-${b}`, 'missed'), [`created in-${b}`, `updated in-${b}`])
    assert.deepEqual(await gapsOf(it), [`ConfigMap ${b} start`])
  },
)
