import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { searchHybrid, toRealArray } from './hybrid-search.ts'
import type { HybridQuery } from './hybrid-search.ts'
import { retrievalMigrations } from './retrieval-migrations.ts'
import { embeddingOf } from './testing/embedding-server.ts'
import { createVectorSupport } from './vector-support.ts'

interface Rows {
  readonly owner?: string
  readonly space?: string | null
  readonly texts: Readonly<Record<string, string>>
}

async function open(t: TestContext, opened: (t: TestContext) => Promise<Database>) {
  const database = await opened(t)
  await migrate(database, [retrievalMigrations])
  await sql`create table notes (id text primary key, owner text, search tsvector not null, embedding real[], embedding_space text)`.execute(
    database.root,
  )
  const insert = async ({ owner = 'a', space = 'm', texts }: Rows): Promise<void> => {
    for (const [id, text] of Object.entries(texts)) {
      const vector = space === null ? null : toRealArray(embeddingOf(text))
      await sql`insert into notes values (${id}, ${owner}, to_tsvector('english', ${text}), ${vector}::real[], ${space})`.execute(
        database.root,
      )
    }
  }
  const search = async (query: string, more: Partial<HybridQuery> = {}) =>
    searchHybrid(database.root, { table: 'notes', scope: sql`owner = 'a'`, query, limit: 10, ...more })
  const idsOf = async (query: string, more: Partial<HybridQuery> = {}) =>
    (await search(query, more)).map(({ id }) => id)
  return { database, insert, search, idsOf, hasVectors: createVectorSupport(database.root) }
}

for (const { name, skip, open: opened } of adapters) {
  test(
    `retrieval on ${name}: any term of a question may match, the most relevant row is first, and other scopes are not seen`,
    { skip },
    async (t) => {
      const { insert, search, idsOf } = await open(t, opened)
      await insert({
        space: null,
        texts: {
          both: 'Refunds are paid within thirty days of the refund request.',
          one: 'Days are long in summer.',
          none: 'Ships sail at dawn.',
        },
      })
      await insert({ owner: 'b', space: null, texts: { other: 'Refund refund refund days' } })
      const found = await search('How many days until a refund is paid?')
      assert.deepEqual(
        found.map(({ id }) => id),
        ['both', 'one'],
      )
      assert.equal(found[0]?.score, 1)
      assert.ok((found[1]?.score ?? 1) < 1 && (found[1]?.score ?? 0) > 0)
      assert.deepEqual(await idsOf('refund', { limit: 1 }), ['both'])
      assert.deepEqual(await idsOf('zebra'), [])
    },
  )

  test(`retrieval on ${name}: no text of a query is parsed as a tsquery or as SQL`, { skip }, async (t) => {
    const { insert, idsOf } = await open(t, opened)
    await insert({ space: null, texts: { a: "it's a back\\slash & co | http://x.example/?a=1&b='2' :* <->" } })
    for (const query of [
      "'",
      "''; drop table notes; --",
      '\\',
      "a' | 'b",
      '!(((',
      ':*',
      'co:* & !x',
      '<->',
      '',
      ' ',
      'the',
    ])
      assert.ok(Array.isArray(await idsOf(query)), query)
    assert.deepEqual(await idsOf('back\\slash'), ['a'])
    assert.deepEqual(await idsOf("http://x.example/?a=1&b='2'"), ['a'])
    assert.deepEqual(await idsOf('slash '.repeat(50_000)), ['a'])
  })

  test(
    `retrieval on ${name}: rows near in meaning are found without a common word, and rank first where both agree`,
    { skip },
    async (t) => {
      const { insert, search, idsOf, hasVectors } = await open(t, opened)
      if (!(await hasVectors())) return t.skip('this database has no pgvector')
      await insert({
        texts: { pets: 'A dog is an animal.', bill: 'The invoice has the price.', sea: 'The ship left the harbour.' },
      })
      const near = (text: string) => ({ vector: { space: 'm', values: embeddingOf(text) } })
      assert.equal((await idsOf('my cat', near('my cat')))[0], 'pets')
      assert.equal((await idsOf('cost of it', near('cost')))[0], 'bill')
      const [first, second] = await search('animal', near('pet'))
      assert.deepEqual([first?.id, first?.score], ['pets', 1])
      assert.ok((second?.score ?? 1) < 0.6)
    },
  )

  test(
    `retrieval on ${name}: vectors of another space or length never match, and an update of the model ends in no error`,
    { skip },
    async (t) => {
      const { database, insert, idsOf, hasVectors } = await open(t, opened)
      if (!(await hasVectors())) return t.skip('this database has no pgvector')
      await insert({ space: 'old', texts: { old: 'dog animal' } })
      await insert({ space: 'm', texts: { new: 'cat pet' } })
      await insert({ space: null, texts: { raw: 'dog' } })
      await sql`insert into notes values ('short', 'a', '', '{1,2}', 'm'), ('empty', 'a', '', '{}', 'm')`.execute(
        database.root,
      )
      await sql`insert into notes values ('zero', 'a', '', '{0,0,0,0}', 'm')`.execute(database.root)
      assert.deepEqual(await idsOf('zzz', { vector: { space: 'm', values: embeddingOf('animal') } }), ['new', 'zero'])
      assert.deepEqual((await idsOf('dog', { vector: { space: 'm', values: embeddingOf('pet') } })).toSorted(), [
        'new',
        'old',
        'raw',
        'zero',
      ])
    },
  )
}

test('retrieval: an absent pgvector is looked for again after a minute, a present one is remembered', async (t) => {
  const [pglite] = adapters
  const database = await pglite.open(t)
  let now = 0
  const present = createVectorSupport(database.root, () => now)
  assert.equal(await present(), false)
  await migrate(database, [retrievalMigrations])
  assert.equal(await present(), false)
  now = 60_000
  assert.equal(await present(), true)
})
