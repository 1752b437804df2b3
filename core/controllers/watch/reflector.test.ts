import { sql } from 'kysely'
import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeClient, KubeObject, WatchEvent } from '#core/kube/client.ts'
import { KubeError } from '#core/kube/status.ts'
import { resumeVersionOf } from '../objects/resume-version.ts'
import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import { facts, gaps, gated, informers, real, setUp, start, until } from '../testing/following.ts'
import type { Setup } from '../testing/following.ts'

test(
  'A10: changes while the store is unavailable are reported one by one afterwards, several in one transaction, without a list',
  real,
  async (t) => {
    const it = await setUp(t)
    const gate = gated(it.store)
    t.after(gate.open)
    await start(t, { ...it, store: gate.store }).synced
    const before = gate.asked
    gate.refuse = 2
    gate.close()
    await it.make('a')
    for (const step of ['1', '2', '3']) await it.change('a', { data: { step } })
    await it.remove('a')
    await until('the store was asked again', async () => gate.refuse === 0)
    gate.open()
    const whole = ['created a', 'updated a', 'updated a', 'updated a', 'deleted a']
    await until('all is reported', async () => (await facts(it.database)).length === whole.length)
    assert.deepEqual(await facts(it.database), whole)
    assert.deepEqual(await gaps(it.database), [])
    // Two were refused, the first change was sent alone, the other four together or in two parts.
    assert.ok(gate.asked - before <= 5, `${gate.asked - before} transactions`)
  },
)

test('A10: changes received before the manager is stopped are reported before it exits', real, async (t) => {
  const it = await setUp(t)
  const gate = gated(it.store)
  t.after(gate.open)
  const reading = counted(it.cluster)
  const running = start(t, { store: gate.store, cluster: reading.cluster })
  await running.synced
  gate.close()
  await it.make('a')
  for (const step of ['1', '2', '3']) await it.change('a', { data: { step } })
  await until('all is read', async () => reading.frames >= 4)
  const stopped = running.stop()
  gate.open()
  await stopped
  assert.deepEqual(await facts(it.database), ['created a', 'updated a', 'updated a', 'updated a'])
})

/** Watches, stops, and changes an object while no manager runs. */
async function leaveBehind(t: TestContext, it: Setup): Promise<void> {
  const first = start(t, it)
  await first.synced
  await it.make('a')
  await until('it is seen', async () => (await facts(it.database)).includes('created a'))
  await first.stop()
  for (const step of ['1', '2', '3']) await it.change('a', { data: { step } })
  await it.make('b')
  await it.remove('b')
}

test(
  'A10: a manager resumes at the version of the previous one: each change meanwhile is reported, without a gap',
  real,
  async (t) => {
    const it = await setUp(t)
    await leaveBehind(t, it)
    await start(t, it).synced
    const whole = ['created a', 'updated a', 'updated a', 'updated a', 'created b', 'deleted b']
    await until('all is reported', async () => (await facts(it.database)).length === whole.length)
    assert.deepEqual(await facts(it.database), whole)
    assert.deepEqual(await gaps(it.database), [])
  },
)

test('A10: an API server that is unavailable when a manager starts causes no loss', real, async (t) => {
  const it = await setUp(t)
  await leaveBehind(t, it)
  let refusals = 3
  const list: KubeClient['list'] = (...query) => {
    if (refusals === 0) return it.cluster.list(...query)
    refusals -= 1
    return Promise.reject(new KubeError(refusals === 1 ? 504 : 503, 'ServiceUnavailable', 'away'))
  }
  await start(t, { ...it, cluster: { ...it.cluster, list } }).synced
  await until('all is reported', async () => (await facts(it.database)).length === 6)
  assert.deepEqual(await gaps(it.database), [])
})

test('A10: what is quiet is followed up to the newest bookmark', real, async (t) => {
  const it = await setUp(t)
  const bookmark = '99999999999'
  const cluster: KubeClient = {
    ...it.cluster,
    async *watch<O extends KubeObject>(): AsyncGenerator<WatchEvent<O>> {
      yield { type: 'bookmark', resourceVersion: bookmark }
    },
  }
  await start(t, { ...it, cluster }).synced
  const [informer] = informers
  assert.ok(informer)
  await until('the bookmark is noted', async () => (await resumeVersionOf(it.store, informer)) === bookmark)
})

for (const [what, version] of [
  ['that the API server has forgotten', '1'],
  ['that it has never had', '99999999999'],
] as const)
  test(`A10: a version ${what} is not gone on from: what is there counts, and a gap is announced`, real, async (t) => {
    const it = await setUp(t)
    await leaveBehind(t, it)
    await sql`update resume_versions set rv = ${version}`.execute(it.database.root)
    const gone = new KubeError(410, 'Expired', 'too old')
    // Compaction is up to the server, so its response for the old version is simulated.
    const list: KubeClient['list'] = (resource, options) =>
      options?.resourceVersion === '1' ? Promise.reject(gone) : it.cluster.list(resource, options)
    await start(t, { ...it, cluster: { ...it.cluster, list } }).synced
    assert.deepEqual(await facts(it.database), ['created a', 'updated a'])
    assert.deepEqual(await gaps(it.database), ['start'])
    await it.change('a', { data: { step: '4' } })
    await until('it resumes', async () => (await facts(it.database)).length === 3)
  })

/** A cluster that counts the changes of its watches. */
function counted(cluster: KubeClient) {
  const counter = {
    frames: 0,
    cluster: {
      ...cluster,
      async *watch<O extends KubeObject>(...query: Parameters<KubeClient['watch']>): AsyncGenerator<WatchEvent<O>> {
        for await (const event of cluster.watch<O>(...query)) {
          if ('object' in event) counter.frames += 1
          yield event
        }
      },
    },
  }
  return counter
}

test(
  'A10: watches cut at random and expired versions still give every final state, once, and say where a gap was',
  real,
  async (t) => {
    const it = await setUp(t)
    let frames = 0
    const cut: KubeClient = {
      ...it.cluster,
      async *watch<O extends KubeObject>(...query: Parameters<KubeClient['watch']>): AsyncGenerator<WatchEvent<O>> {
        for await (const event of it.cluster.watch<O>(...query)) {
          frames += 1
          if (frames % 7 === 0) {
            yield { type: 'expired' } // as a compaction would
            return
          }
          yield event
          if (frames % 3 === 0) throw new KubeError(503, 'ServiceUnavailable', 'cut')
        }
      },
    }
    const running = start(t, { ...it, cluster: cut }, { pageSize: 5 })
    await running.synced
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
    for (const name of names) await it.make(name)
    for (const name of names) await it.change(name, { data: { final: 'yes' } })
    for (const name of names.slice(0, 5)) await it.remove(name)
    await until('the last deletion is seen', async () => (await facts(it.database)).includes('deleted n4'))
    await until('every object is seen', async () => {
      const rows = await it.store.reader<ObjectIndexTables>().selectFrom('object_index').selectAll().execute()
      return rows.length >= 20
    })
    const seen = await facts(it.database)
    for (const name of names) assert.equal(seen.filter((one) => one === `created ${name}`).length, 1, name)
    for (const name of names.slice(0, 5)) assert.equal(seen.filter((one) => one === `deleted ${name}`).length, 1, name)
    for (const name of names) assert.ok(seen.filter((one) => one === `updated ${name}`).length <= 1, name)
    assert.ok((await gaps(it.database)).includes('expired'))
  },
)
