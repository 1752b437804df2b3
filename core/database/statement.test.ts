import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { Client } from 'pg'
import type { Database } from './database.ts'
import { txWithTables, withTables } from './database.ts'
import { isRetryable } from './session/database-errors.ts'
import { defer, defineStatement } from './statement.ts'
import type { Placeholders } from './statement.ts'
import { adapters } from './testing/databases.ts'

interface Tables {
  items: { id: string; n: number; at: Date | null; tags: readonly string[] | null; data: unknown }
}

const insertItem = defineStatement((db: Kysely<Tables>, p: Placeholders<{ id: string; n: number }>) =>
  db.insertInto('items').values({ id: p.id, n: p.n, at: null, tags: null, data: null }),
)
const itemsAbove = defineStatement((db: Kysely<Tables>, p: Placeholders<{ n: number }>) =>
  db.selectFrom('items').select(['id', 'n']).where('n', '>', p.n).where('id', '!=', 'never').orderBy('id'),
)

for (const adapter of adapters) {
  test(`${adapter.name}: statements, messages and their failures`, { skip: adapter.skip }, async (t) => {
    const database = await adapter.open(t)
    await sql`create table items (id text primary key, n integer not null, at timestamptz, tags text[], data jsonb)`.execute(
      database.root,
    )
    for (const [name, run] of Object.entries(cases)) {
      await t.test(name, async (st) => {
        await database.transaction((db) => sql`delete from items`.execute(db))
        await run(database, st)
      })
    }
  })
}

const cases: Record<string, (database: Database, t: TestContext) => Promise<void>> = {
  'a compiled statement takes its parameters at each execution': async (database) => {
    await database.transaction(async (db) => {
      for (let n = 0; n < 8; n++) assert.equal(await insertItem.run(db, { id: `i${n}`, n }), 1)
      assert.deepEqual(await itemsAbove.all(db, { n: 5 }), [
        { id: 'i6', n: 6 },
        { id: 'i7', n: 7 },
      ])
    })
    assert.deepEqual(await itemsAbove.first(database.reader, { n: 6 }), { id: 'i7', n: 7 })
    assert.equal(await itemsAbove.first(database.reader, { n: 9 }), undefined)
  },

  'R2-CL-1: a migration under prepared statements fails no read and no write, and transactions can be retried': async (
    database,
  ) => {
    await sql`create table changing (id integer)`.execute(database.root)
    const read = (db: Kysely<unknown>) => sql<{ id: number }>`select * from changing`.execute(db)
    const write = (db: Kysely<unknown>) => sql`insert into changing (id) values (1) returning *`.execute(db)
    // On several connections, each of which has prepared it.
    const parallel = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 12 }, work))
    for (let n = 0; n < 12; n++) {
      await parallel(() => read(database.reader))
      await parallel(() => write(database.root))
    }
    for (const column of ['a', 'b', 'c']) {
      await sql.raw(`alter table changing add column ${column} text default 'x'`).execute(database.root)
      const rows = await parallel(async () => (await read(database.reader)).rows)
      assert.ok(rows.flat().every((row) => column in row))
      const written = await parallel(async () => (await write(database.root)).rows)
      assert.ok(written.flat().every((row) => column in Object(row)))
      await parallel(() =>
        database.transaction(read).catch((error: unknown) => {
          assert.ok(isRetryable(error))
          return database.transaction(read)
        }),
      )
    }
    await sql`drop table changing`.execute(database.root)
  },

  'BEGIN is sent with the first statement, and statements issued together are one message': async (database, t) => {
    const messages = countMessages(t)
    await database.transaction(async (db) => {
      await defer(db, withTables<Tables>(db).insertInto('items').values(item('deferred')))
      await Promise.all([insertItem.run(db, { id: 'a', n: 1 }), insertItem.run(db, { id: 'b', n: 2 })])
      await insertItem.defer(db, { id: 'c', n: 3 })
    })
    assert.equal(messages(), 2)
    assert.deepEqual(await idsOf(database), ['a', 'b', 'c', 'deferred'])
  },

  'a transaction without a statement sends nothing': async (database, t) => {
    const messages = countMessages(t)
    assert.equal(await database.transaction(async () => 7), 7)
    await assert.rejects(
      database.transaction(() => Promise.reject(new Error('early'))),
      /early/,
    )
    assert.equal(messages(), 0)
  },

  'a failing statement rejects with its own error, and those after it have not run': async (database) => {
    await database.transaction((db) => insertItem.run(db, { id: 'a', n: 1 }))
    let outcomes: readonly PromiseSettledResult<number>[] = []
    await assert.rejects(
      database.transaction(async (db) => {
        const ids = ['first', 'a', 'last']
        const inserted = ids.map((id, n) => insertItem.run(db, { id, n }))
        outcomes = await Promise.allSettled([...inserted, sql`select 1; select 2`.execute(db).then(() => 0)])
      }),
      { code: '23505' },
    )
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as { code?: string }).code)),
      [1, '23505', '23505', '23505'],
    )
    assert.deepEqual(await idsOf(database), ['a'])
  },

  'a deferred statement that fails fails the transaction with its error': async (database) => {
    await database.transaction((db) => insertItem.run(db, { id: 'a', n: 1 }))
    await assert.rejects(
      database.transaction((db) => insertItem.defer(db, { id: 'a', n: 1 })),
      { code: '23505' },
    )
    await assert.rejects(
      database.transaction(async (db) => {
        await insertItem.defer(db, { id: 'a', n: 1 })
        await insertItem.run(db, { id: 'b', n: 1 })
      }),
      { code: '23505' },
    )
    assert.deepEqual(await idsOf(database), ['a'])
  },

  'a transaction does not resolve when the failure of a statement was ignored': async (database) => {
    await database.transaction((db) => insertItem.run(db, { id: 'a', n: 1 }))
    await assert.rejects(
      database.transaction(async (db) => {
        await insertItem.run(db, { id: 'b', n: 1 })
        await insertItem.run(db, { id: 'a', n: 1 }).catch(() => undefined)
      }),
      { code: '23505' },
    )
    assert.deepEqual(await idsOf(database), ['a'])
  },

  'a statement prepared in a message that failed is prepared again': async (database) => {
    const text = (n: number) => sql<{ n: number }>`select ${n}::integer / ${n}::integer as n`
    for (let attempt = 0; attempt < 12; attempt++) {
      await assert.rejects(text(0).execute(database.reader), { code: '22012' })
      assert.deepEqual((await text(3).execute(database.reader)).rows, [{ n: 1 }])
    }
  },

  'a value that cannot be sent fails before anything is sent': async (database) => {
    const circular: { self?: unknown } = {}
    circular.self = circular
    const failing = database.transaction(async (db) => {
      await withTables<Tables>(db)
        .insertInto('items')
        .values({ ...item('a'), data: circular })
        .execute()
    })
    await assert.rejects(failing, TypeError)
    await assert.rejects(
      database.transaction((db) => insertItem.run(db, { id: 'nul\0', n: 1 })),
      { code: '22021' },
    )
    assert.deepEqual(await idsOf(database), [])
  },

  'arrays, dates and JSON are read as they were written': async (database) => {
    const tags = ['plain', 'a "b" \\ {c},', '', 'NULL']
    const row = { ...item('a'), at: new Date('2026-01-02T03:04:05.678Z'), tags, data: { deep: [1, 'x', null] } }
    await database.transaction((db) => withTables<Tables>(db).insertInto('items').values(row).execute())
    assert.deepEqual(await withTables<Tables>(database.reader).selectFrom('items').selectAll().execute(), [row])
  },

  'a transaction that has ended executes nothing': async (database) => {
    let kept: Transaction<unknown> | undefined
    await database.transaction(async (db) => {
      kept = db
      await insertItem.run(db, { id: 'a', n: 1 })
    })
    assert.ok(kept)
    await assert.rejects(insertItem.run(txWithTables<Tables>(kept), { id: 'b', n: 1 }), /has ended/)
  },
}

function item(id: string): Tables['items'] {
  return { id, n: 0, at: null, tags: null, data: null }
}

async function idsOf(database: Database): Promise<readonly string[]> {
  return (await itemsAbove.all(database.reader, { n: -1 })).map(({ id }) => id)
}

/** Counts what clients of both adapters send from now on. */
function countMessages(t: TestContext): () => number {
  const { mock } = t.mock.method(Client.prototype, 'query')
  return () => mock.callCount()
}
