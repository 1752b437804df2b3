import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Access } from '#core/cluster/caller.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { migrate } from '#core/database/migrate.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { parseLabel } from '#core/kube/names.ts'
import { createRunsSystem } from '../create-api.ts'
import { startRig } from '../prepared/testing/rig.ts'
import { deleteRuns } from '../retention/delete-runs.ts'
import { queueRunOf } from '../testing/world.ts'

const most = { rows: 100, bytes: 100_000 }
const refused = (detail: RegExp) => (error: unknown) =>
  error instanceof Fail && error.code === 'run_access_refused' && detail.test(error.message)

async function startRuns(t: TestContext) {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  const rig = await startRig(t, database)
  const withdraw = await rig.allow({ user: 'alice', namespace: 'team', resource: 'runs', verb: 'get' })
  const { store } = rig.world
  const now = () => new Date(rig.clock.now)
  /** The reads of a worker, which has no key that signs. */
  const system = createRunsSystem({ core: { keys: rig.keys('worker'), now }, store })
  const queue = (namespace: string, namespaceUid = `uid-${namespace}`) =>
    queueRunOf(rig.world, {
      agent: { namespace, name: 'robot', uid: `uid-${namespace}-robot` },
      namespaceUid,
      input: { words: 'private' },
    })
  const review = async (): Promise<Access<'get', 'runs'>> =>
    (await rig.caller('alice')).review('get', 'runs', { namespace: parseLabel('n', 'team') })
  return { ...rig, withdraw, system, queue, review, observed: createObserved(store) }
}

test('a worker reads content and spans of runs under the sealed access of a caller', async (t) => {
  const { api, system, queue, review, withdraw, clock } = await startRuns(t)
  const { id } = await queue('team')
  const access = await review()
  const sealed = await api('bff').sealAccess(access)
  await withdraw()
  const snapshot = await system.snapshot(JSON.parse(JSON.stringify(sealed)) as string, id, most)
  assert.deepEqual([snapshot.run.id, snapshot.run.input, snapshot.found.namespace], [id, { words: 'private' }, 'team'])
  const root = snapshot.tree(snapshot.events)
  assert.deepEqual([root.kind, root.name, snapshot.truncated], ['run', 'robot', false])
  const later = await queue('team')
  assert.equal((await system.snapshot(sealed, later.id, most)).run.id, later.id, 'it covers the namespace')
  const ofOne = await api('bff').sealAccess(access, { runId: id, expiresInSeconds: 24 * 3600 })
  assert.equal((await system.snapshot(ofOne, id, most)).run.id, id)
  await assert.rejects(system.snapshot(ofOne, later.id, most), refused(/another run/))
  clock.now += 3_600_000 + 61_000
  await assert.rejects(system.snapshot(sealed, id, most), refused(/expired/))
  await system.snapshot(ofOne, id, most)
})

test('SEC: a sealed access covers the reviewed namespace only, and no token of another use is one', async (t) => {
  const { api, system, queue, review, world, keys } = await startRuns(t)
  const own = await queue('team')
  const access = await review()
  const sealed = await api('bff').sealAccess(access)
  const foreign = await queue('other')
  const former = await queue('team', 'uid-of-a-deleted-namespace')
  for (const { id } of [foreign, former])
    await assert.rejects(system.snapshot(sealed, id, most), refused(/another run/))
  const grant = (
    await world.store
      .reader<{ runs_content: { run_id: string; grant_token: string } }>()
      .selectFrom('runs_content')
      .selectAll()
      .executeTakeFirstOrThrow()
  ).grant_token
  const hostile: readonly unknown[] = ['', 'a.b.c', '\0', '\ud800', grant, `${sealed}x`, sealed.slice(1), null, 7, {}]
  for (const given of [...hostile, 'x'.repeat(10_000_000)])
    await assert.rejects(system.snapshot(given as string, own.id, most), refused(/./), String(given).slice(0, 20))
  for (const id of [uuidV7(), 'no id', '\0', ''])
    await assert.rejects(
      system.snapshot(sealed, id, most),
      (error) => error instanceof Fail && error.code === 'not_found',
    )
  assert.throws(() => keys('worker').current('grant'), /no key/, 'a worker seals none')
  const actor = { name: 'runs.retention', kind: 'controller' } as const
  await world.store.transact((tx) => deleteRuns(tx, [own.id], actor))
  await assert.rejects(system.snapshot(sealed, own.id, most), /./, 'a removed run')
})

test('SEC: only a review of get runs in one namespace is sealed, and for at most a day', async (t) => {
  const { api, caller, allow, review, queue } = await startRuns(t)
  const { id } = await queue('team')
  const bff = api('bff')
  const access = await review()
  await allow({ user: 'alice', namespace: 'team' })
  const invoke = await (
    await caller('alice')
  ).review('create', 'agentdeployments/invoke', { namespace: access.namespace })
  await assert.rejects(bff.sealAccess(invoke as unknown as typeof access), /needs get runs/)
  const admin = await caller('admin')
  await assert.rejects(bff.sealAccess(await admin.review('get', 'runs', { namespace: '' })), /whole cluster/)
  const named = await admin.review('get', 'runs', { namespace: access.namespace, name: id })
  await assert.rejects(bff.sealAccess(named, { runId: uuidV7() }), /another run/)
  for (const expiresInSeconds of [0, -1, 1.5, Number.NaN, 86_401, 1e300])
    await assert.rejects(bff.sealAccess(access, { expiresInSeconds }), RangeError, String(expiresInSeconds))
  await assert.rejects(bff.sealAccess(access, { runId: 'a\0' }), /id of a run/)
  await assert.rejects(api('worker').sealAccess(access), /no key "grant"/)
})
