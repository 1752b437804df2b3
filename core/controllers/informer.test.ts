import { sql } from 'kysely'
import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, KubeObject, Resource, WatchEvent } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { isNewer } from '#core/kube/list-request.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { createCallers } from '#core/cluster/callers.ts'
import { createDirectory } from '#core/cluster/namespace-directory.ts'
import { missedDeletionsJob } from './missed-deletions.ts'
import { runInformers } from './informer.ts'
import { observe } from './objects/object-fingerprint.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { recordDeltas, recordMissedDeletion } from './objects/record-changes.ts'
import { insertReports } from './objects/reported-objects.ts'
import type { ReportedObject } from './objects/reported-objects.ts'
import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'

import {
  configMaps,
  facts,
  informers,
  namespaces,
  object,
  real,
  setUp,
  silent,
  start,
  until,
} from './testing/following.ts'

const deployments: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}
const deployment = (namespace: string, name: string): KubeObject => {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.org/web' }] } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, template },
  }
}

for (const make of ['PostgreSQL', 'PGlite'] as const)
  test(`A4 on ${make}: each change is one event; status and managedFields alone are none`, real, async (t) => {
    const it = await setUp(t, make === 'PGlite' ? await openMemoryStore() : undefined)
    await it.make('before')
    await start(t, it).synced
    await it.make('a')
    await it.change('a', { data: { x: '1' } })
    await it.admin.patch(
      configMaps,
      { namespace: it.namespace, name: parseName('name', 'a') },
      { type: 'apply', body: { ...object(it.namespace, 'a'), data: { x: '1' } } },
      { fieldManager: 'another' },
    )
    await it.change('a', { metadata: { labels: { l: '1' } } })
    await it.remove('a')
    await it.make('a')
    await until('all are seen', async () => (await facts(it.database)).length >= 6)
    assert.deepEqual(await facts(it.database), [
      'created before',
      'created a',
      'updated a',
      'updated a',
      'deleted a',
      'created a',
    ])
  })

test('A4: a change of status alone changes the version of an object, not its index entry', real, async (t) => {
  const { admin, namespace } = await setUp(t)
  const ref = { namespace, name: parseName('name', 'web') }
  const made = await admin.create<KubeObject>(deployments, deployment(namespace, 'web'))
  const status = { observedGeneration: 1, replicas: 1, unavailableReplicas: 1 }
  const patch = { type: 'merge', body: { status } } as const
  const after = await admin.patch<KubeObject>(deployments, ref, patch, { subresource: 'status' })
  assert.deepEqual(after['status'], status)
  const [before, seen] = [observe(made), observe(after)]
  assert.ok(before !== undefined && seen !== undefined && isNewer(seen.resourceVersion, before.resourceVersion))
  assert.equal(seen.contentHash, before.contentHash)
})

test(
  'A4: three replicas, five replays, and changes while all are stopped: events are the distinct changes',
  real,
  async (t) => {
    const it = await setUp(t)
    const replicas = () => [1, 2, 3].map(() => start(t, it))
    const first = replicas()
    await Promise.all(first.map((one) => one.synced))
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
    await Promise.all(names.map(it.make))
    await Promise.all(names.map((name) => it.change(name, { data: { step: '1' } })))
    await until(
      'the changes are seen',
      async () => (await facts(it.database)).filter((one) => one.startsWith('updated')).length >= 12,
    )
    await Promise.all(first.map((one) => one.stop()))
    // Versions have expired meanwhile, so a list is required.
    await sql`delete from resume_versions`.execute(it.database.root)
    // While no informer runs: some are deleted, some changed, one replaced under its name.
    await it.remove('n0')
    await it.remove('n1')
    await it.make('n1')
    await it.change('n2', { data: { step: '2' } })
    for (let replay = 0; replay < 5; replay += 1) {
      const again = replicas()
      await Promise.all(again.map((one) => one.synced))
      await Promise.all(again.map((one) => one.stop()))
    }
    const expected = [
      ...names.flatMap((name) => [`created ${name}`, `updated ${name}`]),
      'deleted n0',
      'deleted n1',
      'created n1',
      'updated n2',
    ]
    assert.deepEqual((await facts(it.database)).toSorted(), expected.toSorted())
    const rows = await it.database.db.selectFrom('events').selectAll().where('type', 'like', '%.deleted.%').execute()
    assert.deepEqual(
      rows.map((row) => (row.data as { late?: boolean }).late),
      [true, true],
    )
  },
)

test(
  'A11: malformed objects become one event with an error, or are left out, and never stop the informer',
  real,
  async (t) => {
    const it = await setUp(t)
    const odd: KubeClient = {
      ...it.cluster,
      async *watch<O extends KubeObject>(...query: Parameters<KubeClient['watch']>): AsyncGenerator<WatchEvent<O>> {
        for await (const event of it.cluster.watch<O>(...query))
          yield 'object' in event ? { ...event, object: spoil(event.object) } : event
      },
    }
    await start(t, { ...it, cluster: odd }).synced
    for (const name of ['bad-labels', 'bad-managers', 'no-uid', 'good']) await it.make(name)
    await until('the good one is seen', async () => (await facts(it.database)).includes('created good'))
    assert.deepEqual(await facts(it.database), ['created bad-labels', 'created bad-managers', 'created good'])
    const rows = await it.database.db.selectFrom('events').selectAll().orderBy('position').execute()
    const errors = rows
      .filter((row) => row.name.startsWith('bad-'))
      .map((row) => (row.data as { error?: string }).error)
    assert.deepEqual(errors, ['malformed_object', 'malformed_object'])
  },
)

function spoil<O extends KubeObject>(object_: O): O {
  const broken: Record<string, object> = {
    'bad-labels': { labels: ['not', 'a', 'map'] },
    'bad-managers': { managedFields: 'x' },
    'no-uid': { uid: 7 },
  }
  return { ...object_, metadata: { ...object_.metadata, ...broken[object_.metadata.name] } }
}

test('A4: an older version is a replay, whatever its content; versions compare as numbers', real, async (t) => {
  const it = await setUp(t)
  const [informer] = informers
  const seen = (resourceVersion: string, contentHash: string) => ({
    uid: 'u1',
    namespace: it.namespace,
    name: 'a',
    resourceVersion,
    contentHash,
    generation: undefined,
    actorGuess: undefined,
    error: undefined,
    audited: undefined,
    spec: undefined,
    problems: undefined,
  })
  assert.ok(informer !== undefined)
  for (const one of [
    seen('9', 'x'),
    seen('10', 'y'),
    seen('9', 'x'),
    seen('10', 'y'),
    seen('11', 'y'),
    seen('10', 'z'),
  ])
    await recordDeltas(it.store, informer, [{ observation: one, deleted: false }], { late: false })
  assert.deepEqual(await facts(it.database), ['created a', 'updated a'])
})

test('the newest field manager is recorded as a guess, and content is omitted', real, async (t) => {
  const it = await setUp(t)
  await start(t, it).synced
  const secret = { ...object(it.namespace, 'a'), data: { key: 'sk-canary' } }
  await it.admin.create(configMaps, secret, { fieldManager: 'kubectl-create' })
  await until('it is seen', async () => (await facts(it.database)).length === 1)
  const rows = await it.database.db.selectFrom('events').selectAll().where('name', '=', 'a').execute()
  assert.equal((rows[0]?.data as { actorGuess?: string } | undefined)?.actorGuess, 'kubectl-create')
  assert.doesNotMatch(
    JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
    /sk-canary/,
  )
})

test(
  'A4: a lagging watch reports its changes itself; only an object that a list should have contained is recorded as a missed deletion',
  real,
  async (t) => {
    const it = await setUp(t)
    const gate = Promise.withResolvers<void>()
    const behind: KubeClient = {
      ...it.cluster,
      watch: (resource, query) => onceOpen(gate.promise, () => it.cluster.watch(resource, query)),
    }
    t.after(() => gate.resolve())
    const first = start(t, { store: it.store, cluster: behind })
    await first.synced
    const comeAndGo = async (name: string) => {
      const { metadata } = await it.make(name)
      await it.change(name, { data: { a: '1' } })
      await it.remove(name)
      const { uid = '', resourceVersion = '' } = metadata
      return { uid, kind: 'ConfigMap', namespace: it.namespace, name, resourceVersion }
    }
    const report = (reported: ReportedObject) =>
      it.store.transact((tx) =>
        insertReports(tx.tables<ObjectIndexTables>(), [{ ...reported, reportedAt: new Date() }]),
      )
    await report(await comeAndGo('ahead'))
    const job = missedDeletionsJob({
      cluster: it.cluster,
      store: it.store,
      informers,
      log: silent,
    })
    const term = { epoch: 1n, signal: new AbortController().signal }
    for (let round = 0; round < 3; round++) await job.run(term)
    assert.deepEqual(await facts(it.database), [])
    gate.resolve()
    const whole = ['created ahead', 'updated ahead', 'deleted ahead']
    await until('the watch has reported it', async () => (await facts(it.database)).length === whole.length)
    assert.deepEqual(await facts(it.database), whole)
    await first.stop()
    await report(await comeAndGo('missed'))
    // Without a resume version the next manager lists again, and finds nothing of it.
    await sql`delete from resume_versions`.execute(it.database.root)
    await start(t, it).synced
    for (let round = 0; round < 3; round++) await job.run(term)
    assert.deepEqual(await facts(it.database), [...whole, 'deleted missed'])
  },
)

test(
  'A4: a watch that lags behind a missed deletion of another replica still reports its changes, and the deletion once',
  real,
  async (t) => {
    const it = await setUp(t)
    const gate = Promise.withResolvers<void>()
    t.after(() => gate.resolve())
    const watch: KubeClient['watch'] = (resource, query) =>
      onceOpen(gate.promise, () => it.cluster.watch(resource, query))
    await start(t, { store: it.store, cluster: { ...it.cluster, watch } }).synced
    const { uid = '', resourceVersion = '' } = (await it.make('ahead')).metadata
    await it.change('ahead', { data: { a: '1' } })
    await it.remove('ahead')
    const [informer] = informers
    assert.ok(informer)
    const missed = { uid, kind: 'ConfigMap', namespace: it.namespace, name: 'ahead', resourceVersion }
    assert.equal(await recordMissedDeletion(it.store, informer, missed), true)
    gate.resolve()
    await it.make('after')
    await until('the watch is through', async () => (await facts(it.database)).includes('created after'))
    assert.deepEqual(await facts(it.database), ['deleted ahead', 'created ahead', 'updated ahead', 'created after'])
  },
)

async function* onceOpen<T>(gate: Promise<void>, watch: () => AsyncIterable<T>): AsyncGenerator<T> {
  await gate
  yield* watch()
}

test(
  'a name leads to its uid without a read of the cluster, and waits for one that was made a moment ago',
  real,
  async (t) => {
    const it = await setUp(t)
    const observed = createObserved(it.store)
    await start(t, it).synced
    assert.equal(await observed.find('ConfigMap', it.namespace, 'a'), undefined)
    const [found, made] = await Promise.all([observed.find('ConfigMap', it.namespace, 'a', 2_000), it.make('a')])
    assert.equal(found?.uid, made.metadata.uid)
    await it.remove('a')
    await until('the deletion is seen', async () => (await observed.find('ConfigMap', it.namespace, 'a')) === undefined)
    const again = await it.make('a')
    assert.equal((await observed.find('ConfigMap', it.namespace, 'a', 2_000))?.uid, again.metadata.uid)
  },
)

test('scope=permitted: namespaces are reviewed as the caller in name order until the page is full', real, async (t) => {
  const it = await setUp(t)
  const controller = new AbortController()
  const watched = [{ resource: namespaces, resourceKind: 'Namespace' }]
  const options = { cluster: it.admin, store: it.store, informers: watched, log: silent, signal: controller.signal }
  const running = runInformers(options)
  t.after(async () => {
    controller.abort()
    await running.done
  })
  await running.synced
  const directory = createDirectory(it.store)
  const caller = await createCallers({ server: it.kube.url, pool: it.pool }).as(it.kube.tokens['admin'] ?? '')
  const allowed: Caller = {
    ...caller,
    may: async (verb, resource, where) =>
      where.namespace.startsWith('kube-') ? caller.may(verb, resource, where) : undefined,
  }
  const walk = async (after: string, full: number) => {
    const seen: string[] = []
    const { lastName } = await directory.permitted(allowed, 'list', 'runs', after, async (access) => {
      seen.push(access.namespace)
      return seen.length === full ? 'full' : 'more'
    })
    return { seen, lastName }
  }
  const own = (names: readonly string[]) => names.filter((name) => /^kube-(node-lease|public|system)$/.test(name))
  const all = await walk('', 1_000)
  assert.deepEqual(own(all.seen), ['kube-node-lease', 'kube-public', 'kube-system'])
  assert.equal(all.lastName, undefined)
  const page = await walk('', 1)
  assert.deepEqual([page.seen.length, page.lastName], [1, all.seen[0]])
  assert.deepEqual((await walk(page.lastName ?? '', 1_000)).seen, all.seen.slice(1))
})
