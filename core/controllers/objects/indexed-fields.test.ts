import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { KubeObject } from '#core/kube/client.ts'
import type { Informer } from '../watch/declarations.ts'
import { readIndexed } from './indexed-fields.ts'
import { observe } from './object-fingerprint.ts'
import { recordDeltas } from './record-changes.ts'

const resource = { group: 'acme.example', version: 'v1', plural: 'suites', kind: 'Suite', namespaced: true } as const
const suite = (resourceVersion: string, spec: object): KubeObject => ({
  apiVersion: 'acme.example/v1',
  kind: 'Suite',
  metadata: { uid: 'u1', name: 'one', namespace: 'a', resourceVersion },
  spec,
})

test('indexed fields are read as they are, if PostgreSQL can store them', () => {
  const read = (spec: unknown) => readIndexed({ ...suite('1', {}), spec } as KubeObject, ['cases', 'constructor'])
  const cases = [{ input: 'Ä "\\u0000" \\\\ud800 😀', weight: 1e300, none: null }]
  assert.deepEqual(read({ cases, secret: 'x' }), { cases })
  assert.deepEqual(read({ cases: 'x'.repeat(65_000) }), { cases: 'x'.repeat(65_000) })
  for (const text of ['\u0000', '\ud800', 'a\udfff', '\\\u0000', 'x'.repeat(65_536)])
    for (const hostile of [text, [text], { [text]: 1 }, [{ deep: { text } }]])
      assert.deepEqual(read({ cases: hostile }), { cases: null }, JSON.stringify(hostile).slice(0, 60))
  for (const spec of [undefined, null, 'text', 7, []]) assert.deepEqual(read(spec), {})
})

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: the index has the declared fields of a spec, and no event has them`, { skip }, async (t) => {
    const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }])
    const store = createStore(database, { projections: [] })
    const seen = async (version: string, spec: object, more: Partial<Informer> = { indexed: ['cases'] }) => {
      const informer = { resource, resourceKind: 'Suite', ...more }
      const observation = observe(suite(version, spec), informer)
      assert.ok(observation !== undefined)
      await recordDeltas(store, informer, [{ observation, deleted: false }], { late: false })
    }
    const stored = async () =>
      (await sql<{ spec: unknown }>`select spec from object_index`.execute(database.root)).rows[0]?.spec
    const events = async () => (await database.db.selectFrom('events').selectAll().execute()).map(({ type }) => type)
    await seen('1', { cases: ['secret-case'] }, {})
    assert.equal(await stored(), null)
    await seen('1', { cases: ['secret-case'] })
    assert.deepEqual(await stored(), { cases: ['secret-case'] }, 'a kind that declares a field fills it')
    assert.equal((await events()).length, 1, 'the same version is no change')
    await seen('2', { cases: ['another'], other: 1 })
    assert.deepEqual(await stored(), { cases: ['another'] })
    await seen('1', { cases: ['secret-case'] })
    assert.deepEqual(await stored(), { cases: ['another'] }, 'an older version changes nothing')
    await seen('3', { cases: ['\u0000'] })
    assert.deepEqual(
      [await stored(), (await events()).length],
      [{ cases: null }, 3],
      'what cannot be stored hides no change',
    )
    const log = JSON.stringify(await database.db.selectFrom('events').select('data').execute())
    assert.doesNotMatch(log, /secret-case|another/)
  })
