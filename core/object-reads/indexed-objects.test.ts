import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createIndexedReads, ofOwnKinds } from './indexed-objects.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { everyNamespace, servedNamespaces } from '#core/cluster/served-namespaces.ts'

const Suite = defineKind({
  group: 'acme.example',
  kind: 'Suite',
  plural: 'suites',
  description: 'A suite.',
  spec: Type.Object({ cases: Type.Array(Type.Object({ input: Type.String() })) }),
  indexed: ['cases'],
})

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: a plugin reads live objects of its kinds from the index`, { skip }, async (t) => {
    const database = await open(t, [{ name: 'cluster', migrations: clusterMigrations }])
    const add = (
      uid: string,
      object: string,
      more: { rv?: string; audited?: object; spec?: object; deleted?: boolean } = {},
    ) => {
      const [kind, namespace, named] = object.split(' ')
      return sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, audited, spec, deleted_at) values
        (${uid}, ${kind}, ${namespace}, ${named}, ${more.rv ?? '1'}, '', ${JSON.stringify(more.audited ?? null)}::jsonb,
        ${more.spec === undefined ? null : sql`${JSON.stringify(more.spec)}::jsonb`},
        ${more.deleted === true ? sql`now()` : null})`.execute(database.root)
    }
    await add('u1', 'Suite a one', { audited: { 'spec.minScore': 0.5 }, spec: { cases: [{ input: 'Ä' }] } })
    await add('u2', 'Suite a two')
    await add('u3', 'Suite b one', { rv: '9' })
    await add('u4', 'Suite b one', { rv: '10' })
    await add('u5', 'Suite b gone', { deleted: true })
    await add('u6', 'Secret a one')
    const store = createStore(database, { projections: [] })
    const indexed = ofOwnKinds(createIndexedReads(store, everyNamespace), 'evals', new Set(['Suite']))
    const names = async (page: Parameters<typeof indexed.list>[1]) =>
      (await indexed.list('Suite', page)).map((one) => `${one.namespace}/${one.name} ${one.uid}`)
    assert.deepEqual(await names({ limit: 10 }), ['a/one u1', 'a/two u2', 'b/one u4'], 'the newer version is live')
    assert.deepEqual(await names({ limit: 2 }), ['a/one u1', 'a/two u2'])
    assert.deepEqual(await names({ limit: 2, after: { namespace: 'a', name: 'two' } }), ['b/one u4'])
    assert.deepEqual(await names({ limit: 10, namespace: 'a' }), ['a/one u1', 'a/two u2'])
    const found = await indexed.get('Suite', 'a', 'one')
    assert.deepEqual([found?.uid, found?.resourceVersion, found?.fields], ['u1', '1', { 'spec.minScore': 0.5 }])
    assert.deepEqual(found?.spec, { cases: [{ input: 'Ä' }] })
    const other = await indexed.ofUid('Suite', 'u2')
    assert.deepEqual([other?.fields, other?.spec], [{}, {}])
    const suite = await indexed.get(Suite, 'a', 'one')
    assert.equal(suite?.spec.cases?.[0]?.input, 'Ä', 'the kind gives its type')
    await store.transact(async (tx) => {
      const own = indexed.within(tx)
      const [byName, listed] = [await own.get(Suite, 'a', 'one'), await own.list('Suite', { limit: 1 })]
      assert.deepEqual([byName?.uid, listed[0]?.uid, (await own.ofUid(Suite, 'u2'))?.name], ['u1', 'u1', 'two'])
      await assert.rejects(own.list('Secret', { limit: 1 }), /neither declares nor watches/)
    })
    for (const missing of [
      indexed.get('Suite', 'b', 'gone'),
      indexed.ofUid('Suite', 'u5'),
      indexed.ofUid('Suite', 'u6'),
      indexed.get('Suite', '../a', "' or 1=1"),
    ])
      assert.equal(await missing, undefined)
    for (const limit of [0, -1, 1.5, 1_001, Number.NaN])
      await assert.rejects(indexed.list('Suite', { limit }), RangeError, String(limit))
    for (const read of [
      () => indexed.get('Secret', 'a', 'one'),
      () => indexed.ofUid('Secret', 'u6'),
      () => indexed.list('Secret', { limit: 1 }),
    ])
      await assert.rejects(read(), /evals neither declares nor watches the kind Secret/)
    const narrow = createIndexedReads(store, servedNamespaces(['a']))
    assert.deepEqual(
      (await narrow.list('Suite', { limit: 10 })).map(({ uid }) => uid),
      ['u1', 'u2'],
    )
    assert.deepEqual(await narrow.list('Suite', { limit: 10, namespace: 'b' }), [])
    assert.equal(await narrow.ofUid('Suite', 'u4'), undefined)
    assert.equal(await narrow.get('Suite', 'b', 'one'), undefined)
  })
