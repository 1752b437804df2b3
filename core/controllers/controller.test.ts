import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { Logger } from '#core/log/logger.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import type { Reconciler } from './watch/declarations.ts'
import { runReconcilers } from './controller.ts'
import { createForeignStatus } from './foreign-status.ts'
import { createTokenBucket } from '#core/async/token-bucket.ts'
import { createWorkQueue } from './work-queue.ts'

const real = needs('etcd', 'kube-apiserver')
const core = (plural: string, kind: string, namespaced = true): Resource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const configMaps = core('configmaps', 'ConfigMap')
const secrets = core('secrets', 'Secret')
const services = core('serviceaccounts', 'ServiceAccount')
const silent: Logger = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}

test('a key is worked on once at a time, and once more when it changed meanwhile', async () => {
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const queue = createWorkQueue({
    concurrency: 4,
    onError: noop,
    work: async (key) => {
      log.push(`start ${key}`)
      if (log.length === 1) await gate.promise
      log.push(`end ${key}`)
      return {}
    },
  })
  queue.add('a')
  queue.add('a')
  queue.add('a')
  queue.add('b')
  await new Promise(setImmediate)
  assert.deepEqual(log, ['start a', 'start b', 'end b'])
  gate.resolve()
  await new Promise(setImmediate)
  assert.deepEqual(log, ['start a', 'start b', 'end b', 'end a', 'start a', 'end a'])
  await queue.stop()
})

test('failures back off per key, others continue, and a success resets the back-off', async () => {
  const failures: [string, number][] = []
  const done = new EventEmitter()
  let tries = 0
  const queue = createWorkQueue({
    concurrency: 1,
    retry: { minMs: 1, maxMs: 4 },
    onError: (key, _error, count) => failures.push([key, count]),
    work: async (key) => {
      if (key === 'bad' && (tries += 1) <= 3) throw new Error('not yet')
      done.emit(key)
      return {}
    },
  })
  const [bad, good] = [once(done, 'bad'), once(done, 'good')]
  queue.add('bad')
  queue.add('good')
  await good
  assert.deepEqual(failures, [['bad', 1]], 'the other key did not wait for the back-off')
  await bad
  assert.deepEqual(
    failures.map(([, count]) => count),
    [1, 2, 3],
  )
  await queue.stop()
})

test('R2-CL-5: refused work backs off to 15 minutes, and a change of the object ends the back-off', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const settled = async (): Promise<void> => {
    for (let n = 0; n < 10; n += 1) await Promise.resolve()
  }
  for (const fails of ['a result', 'an error'] as const) {
    const tries: string[] = []
    const queue = createWorkQueue({
      concurrency: 1,
      retry: { minMs: 2_000, maxMs: 60_000 },
      random: () => 1,
      onError: noop,
      isRefusal: () => true,
      work: async (key) => {
        tries.push(key)
        if (fails === 'an error') throw new Error('refused')
        return { retryAfterMs: 2_000 }
      },
    })
    queue.add('a')
    await settled()
    const delays: number[] = []
    for (let n = 0; n < 12; n += 1) {
      const before = tries.length
      let waited = 0
      for (; tries.length === before; waited += 1_000) {
        t.mock.timers.tick(1_000)
        await settled()
      }
      delays.push(waited / 1_000)
    }
    assert.deepEqual(delays, [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900], fails)
    queue.add('a', true)
    await settled()
    const before = tries.length
    t.mock.timers.tick(2_000)
    await settled()
    assert.equal(tries.length, before + 1, 'the first delay again')
    await queue.stop()
  }
})

test('R2-CL-5: retries of all keys together are bounded', async (t) => {
  let now = 0
  const bucket = createTokenBucket({ perSecond: 20, burst: 100 }, () => now)
  const waits = Array.from({ length: 140 }, () => bucket.reserve())
  assert.deepEqual([waits[0], waits[99], waits[100], waits[139]], [0, 0, 50, 2_000])
  now = 2_000
  assert.equal(bucket.reserve(), 50, 'the tokens of two seconds were reserved')
  now = 60_000
  assert.deepEqual([bucket.reserve(), bucket.reserve()], [0, 0])

  t.mock.timers.enable({ apis: ['setTimeout'] })
  let work = 0
  const queue = createWorkQueue({
    concurrency: 1_000,
    bucket: createTokenBucket({ perSecond: 20, burst: 100 }, () => 0),
    random: () => 0,
    onError: noop,
    work: async () => {
      work += 1
      return { retryAfterMs: 2 }
    },
  })
  for (let n = 0; n < 300; n += 1) queue.add(`k${n}`)
  for (let n = 0; n < 20; n += 1) await Promise.resolve()
  assert.equal(work, 300, 'the first attempt is not bounded')
  t.mock.timers.tick(1)
  for (let n = 0; n < 20; n += 1) await Promise.resolve()
  assert.equal(work, 400, 'the burst')
  await queue.stop()
})

test('R2-CL-7: a status of this process is not foreign, also if its event precedes the response', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const changed: string[] = []
  const writes = new Map<string, string>()
  const foreign = createForeignStatus({ writes, changed: (key) => changed.push(key) })
  const objectAt = (uid: string, resourceVersion: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: uid, uid, resourceVersion },
  })
  foreign.saw('own', objectAt('own', '9'))
  writes.set('own', '9')
  foreign.saw('corrected', objectAt('corrected', '9'))
  writes.set('corrected', '10')
  foreign.saw('other', objectAt('other', '9'))
  foreign.saw('later', objectAt('later', '10'))
  writes.set('later', '9')
  foreign.saw('gone', objectAt('gone', '9'))
  foreign.forget('gone', objectAt('gone', '9'))
  t.mock.timers.tick(5_000)
  assert.deepEqual(changed.toSorted(), ['later', 'other'])
  foreign.stop()
})

test('at most so many keys at once, requeue after a while, and nothing after stop', async () => {
  let [running, most, again] = [0, 0, 0]
  const second = Promise.withResolvers<void>()
  const queue = createWorkQueue({
    concurrency: 2,
    onError: noop,
    work: async (key) => {
      most = Math.max(most, (running += 1))
      await new Promise(setImmediate)
      running -= 1
      if (key !== 'k0') return {}
      if ((again += 1) === 2) second.resolve()
      return again < 2 ? { requeueAfterMs: 1 } : {}
    },
  })
  for (let i = 0; i < 6; i += 1) queue.add(`k${i}`)
  await second.promise
  assert.equal(most, 2)
  await queue.stop()
  queue.add('late')
  assert.equal(running, 0)
})

async function setUp(t: TestContext) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  const cluster = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const namespace = parseLabel('namespace', `reconciler-${process.pid}-${(count += 1)}`)
  const of = core('namespaces', 'Namespace', false)
  await cluster.create(of, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const controller = new AbortController()
  t.after(() => pool.close())
  return { cluster, namespace, controller }
}
let count = 0

const object = (
  kind: string,
  namespace: string,
  name: string,
  more: Partial<KubeObject['metadata']> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace, ...more },
})

/** A reconciler that records its calls, for one namespace of the shared server. */
function recording(namespace: DnsLabel, more: Partial<Reconciler> = {}) {
  const seen = new EventEmitter()
  const reconciler: Reconciler = {
    name: 'recording',
    resource: configMaps,
    ...more,
    reconcile: async (ref: ObjectRef, current) => {
      if (ref.namespace === namespace) seen.emit(ref.name, current)
      return {}
    },
  }
  return { reconciler, next: (name: string) => once(seen, name) }
}

test('reconcilers of one resource and selector share a watch, and each gets every change', real, async (t) => {
  const { cluster, namespace, controller } = await setUp(t)
  const watched: string[] = []
  const counting: KubeClient = {
    ...cluster,
    watch: (resource, query) => {
      watched.push(`${resource.plural} ${query?.labelSelector ?? ''}`.trim())
      return cluster.watch(resource, query)
    },
  }
  const toRefs = async ({ metadata }: KubeObject) =>
    metadata.namespace === namespace ? [{ namespace, name: parseName('name', metadata.name) }] : []
  const own = recording(namespace)
  const dependent = recording(namespace, { resource: secrets, watches: [{ resource: configMaps, toRefs }] })
  const selecting = recording(namespace, {
    resource: services,
    watches: [{ resource: configMaps, labelSelector: 'role=main', toRefs }],
  })
  const reconcilers = [own, dependent, selecting].map(({ reconciler }) => reconciler)
  const running = runReconcilers({ cluster: counting, reconcilers, log: silent, signal: controller.signal })
  await running.synced
  const all = [own, dependent, selecting].map(({ next }) => next('one'))
  await cluster.create(configMaps, object('ConfigMap', namespace, 'one', { labels: { role: 'main' } }))
  await Promise.all(all)
  const second = [own, dependent].map(({ next }) => next('two'))
  await cluster.create(configMaps, object('ConfigMap', namespace, 'two'))
  await Promise.all(second)
  assert.deepEqual(watched.toSorted(), ['configmaps', 'configmaps role=main', 'secrets', 'serviceaccounts'])
  controller.abort()
  await running.done
})

test('changes of an object, of what it owns and of what it watches reconcile it', real, async (t) => {
  const { cluster, namespace, controller } = await setUp(t)
  const owner = await cluster.create(configMaps, object('ConfigMap', namespace, 'owner'))
  const { reconciler, next } = recording(namespace, {
    owns: [secrets],
    watches: [
      {
        resource: services,
        toRefs: async (one: KubeObject, client: KubeClient) => {
          assert.equal(client, cluster)
          return one.metadata.name === 'watched' ? [{ namespace, name: parseName('name', 'owner') }] : []
        },
      },
    ],
  })
  const atStart = next('owner')
  const running = runReconcilers({ cluster, reconcilers: [reconciler], log: silent, signal: controller.signal })
  await running.synced
  await atStart
  const steps: (() => Promise<unknown>)[] = [
    () => cluster.patch(configMaps, ref, { type: 'merge', body: { data: { x: '1' } } }),
    () =>
      cluster.create(
        secrets,
        object('Secret', namespace, 'owned', {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '', controller: true },
          ],
        }),
      ),
    () => cluster.delete(secrets, { namespace, name: parseName('name', 'owned') }),
    () => cluster.create(services, object('ServiceAccount', namespace, 'watched')),
  ]
  const ref = { namespace, name: parseName('name', 'owner') }
  for (const step of steps) {
    const reconciled = next('owner')
    await step()
    const [current] = await reconciled
    assert.equal(current.metadata.uid, owner.metadata.uid)
  }
  const gone = next('owner')
  await cluster.delete(configMaps, ref)
  assert.deepEqual(await gone, [undefined])
  controller.abort()
  await running.done
})

test('a change of what the reconciler does not work from does not call it', real, async (t) => {
  const { cluster, namespace, controller } = await setUp(t)
  await cluster.create(configMaps, object('ConfigMap', namespace, 'one'))
  const { reconciler, next } = recording(namespace, { concern: (one) => [one.metadata.uid, one['data']] })
  const atStart = next('one')
  const running = runReconcilers({ cluster, reconcilers: [reconciler], log: silent, signal: controller.signal })
  await running.synced
  await atStart
  const called = next('one')
  const ref = { namespace, name: parseName('name', 'one') }
  await cluster.patch(configMaps, ref, { type: 'merge', body: { metadata: { annotations: { x: '1' } } } })
  await cluster.patch(configMaps, ref, { type: 'merge', body: { data: { x: '1' } } })
  // Changes arrive in order: the first one would have called it without the data.
  const [current] = await called
  assert.deepEqual(current.data, { x: '1' })
  controller.abort()
  await running.done
})

test('a watch that the server ends continues without a list, and no change is missed', real, async (t) => {
  const { cluster, namespace, controller } = await setUp(t)
  const { reconciler, next } = recording(namespace)
  const calls = { lists: 0, watches: 0 }
  const counting: KubeClient = {
    ...cluster,
    list: (...query) => {
      calls.lists += 1
      return cluster.list(...query)
    },
    watch: (...query) => {
      calls.watches += 1
      return cluster.watch(...query)
    },
  }
  const options = {
    cluster: counting,
    reconcilers: [reconciler],
    log: silent,
    signal: controller.signal,
    watchSeconds: 1,
  }
  const running = runReconcilers(options)
  await running.synced
  // The watch ends each second: objects are created until it was opened twice again.
  for (let i = 0; calls.watches < 3; i += 1) {
    const seen = next(`n${i}`)
    await cluster.create(configMaps, object('ConfigMap', namespace, `n${i}`))
    await seen
  }
  assert.equal(calls.lists, 1)
  controller.abort()
  await running.done
})
