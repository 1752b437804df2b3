import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { observe } from './object-fingerprint.ts'
import { conditionProblems } from './object-problems.ts'
import { hasUnread, recordDeltas } from './record-changes.ts'

const since = '2026-11-20T08:00:00Z'
const of = (...conditions: readonly unknown[]) => conditionProblems({ status: { conditions } })

test('problems of an object are conditions that are not as they should be, without their texts', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Serving', message: 'x', lastTransitionTime: since }
  assert.deepEqual(of(ready), {})
  assert.deepEqual(of({ ...ready, status: 'Unknown' }), {})
  assert.deepEqual(of({ ...ready, type: 'Accepted', status: 'False' }), {}, 'explained by Ready')
  const degraded = { ...ready, type: 'Degraded', reason: 'OOMKilled' }
  assert.deepEqual(of({ ...ready, status: 'False', reason: 'NotReady' }, degraded), {
    Ready: { reason: 'NotReady', since: '2026-11-20T08:00:00.000Z' },
    Degraded: { reason: 'OOMKilled', since: '2026-11-20T08:00:00.000Z' },
  })
  const held = { ...ready, type: 'EvalGated', reason: 'ScoreTooLow' }
  assert.deepEqual(Object.keys(of(held, { ...held, type: 'Isolated', status: 'False' })), ['EvalGated'])
  assert.deepEqual(of({ ...held, status: 'False' }), {})
  for (const reason of ['', 'a b', 'x'.repeat(129), 'a\u0000', '\ud800', 7, null])
    assert.equal(of({ ...degraded, reason })['Degraded']?.reason, 'Unknown', JSON.stringify(reason))
  for (const time of ['', 'soon', null, 7, {}])
    assert.equal(of({ ...degraded, lastTransitionTime: time })['Degraded']?.since, null, JSON.stringify(time))
  for (const status of [undefined, null, 7, 'x', { conditions: 'x' }, { conditions: [null, 7, [], { type: {} }] }])
    assert.deepEqual(conditionProblems({ status }), {}, JSON.stringify(status))
})

test('a problem names the first reference with its reason, if that is a name', () => {
  const named = { reason: 'NotFound', kind: 'ModelRoute', namespace: 'demo', name: 'away' }
  const referenceOf = (unresolvedReferences: unknown) => {
    const conditions = [{ type: 'Degraded', status: 'True', reason: 'NotFound' }]
    return conditionProblems({ status: { conditions, unresolvedReferences } })['Degraded']?.reference
  }
  const { reason: _, ...reference } = named
  assert.deepEqual(
    referenceOf([
      { ...named, reason: 'NotAllowed', name: 'b' },
      { ...named, more: 'x' },
    ]),
    reference,
  )
  for (const wrong of [
    { name: 'a b' },
    { name: '\u0000' },
    { name: 7 },
    { namespace: '' },
    { kind: '<b>' },
    { reason: 'x' },
  ])
    assert.equal(referenceOf([{ ...named, ...wrong }]), undefined, JSON.stringify(wrong))
  for (const none of [undefined, null, 'x', {}, [], [null], [[]]]) assert.equal(referenceOf(none), undefined)
})

const resource = { group: 'acme.example', version: 'v1', plural: 'suites', kind: 'Suite', namespaced: true } as const
const informer = { resource, resourceKind: 'Suite', namespace: undefined }

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: the index has the problems of the newest status, without an event`, { skip }, async (t) => {
    const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }])
    const store = createStore(database, { projections: [] })
    const seen = async (resourceVersion: string, ready: 'True' | 'False') => {
      const metadata = { uid: 'u1', name: 'one', namespace: 'a', resourceVersion }
      const status = { conditions: [{ type: 'Ready', status: ready, reason: 'NotReady', message: 'a secret' }] }
      const observation = observe({ apiVersion: 'acme.example/v1', kind: 'Suite', metadata, status })
      assert.ok(observation !== undefined)
      await recordDeltas(store, informer, [{ observation, deleted: false }], { late: false })
    }
    const stored = async () =>
      (await sql<{ problems: unknown }>`select problems from object_index`.execute(database.root)).rows[0]?.problems
    const events = async () => (await database.db.selectFrom('events').select('id').execute()).length
    await seen('1', 'False')
    const unready = { Ready: { reason: 'NotReady', since: null } }
    assert.deepEqual([await stored(), await events()], [unready, 1])
    await seen('2', 'True')
    assert.deepEqual([await stored(), await events()], [{}, 1])
    await seen('1', 'False')
    assert.deepEqual(await stored(), {}, 'an older version changes nothing')
    assert.equal(await hasUnread(store, informer), false)
    // As an older process writes the row.
    await sql`update object_index set problems = null`.execute(database.root)
    assert.equal(await hasUnread(store, informer), true)
    await seen('2', 'False')
    assert.deepEqual([await stored(), await hasUnread(store, informer)], [unready, false])
  })
