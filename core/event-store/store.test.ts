import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import { Type } from 'typebox'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { createStore } from './create-store.ts'
import { defineEvent } from './event.ts'
import type { NewEvent } from './event.ts'
import type { Database } from '#core/database/database.ts'
import { openDatabase } from '#core/database/database.ts'
import { readAfter } from './read-events.ts'
import { checkMigrations, migrate } from '#core/database/migrate.ts'
import { beginRange, pruneBefore } from './maintenance/event-retention.ts'
import { rebuild } from './rebuild-projection.ts'
import { storeMigrations } from './store-migrations.ts'
import type { Store } from './store.ts'
import { rangeSize, StreamConflict } from './streams.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createNotes, note, noted, sums } from './testing/notes.ts'
import type { NoteTables } from './testing/notes.ts'

for (const adapter of adapters) {
  const check = (name: string, fn: (store: Store, database: Database, t: TestContext) => Promise<void>): void => {
    test(`${adapter.name}: ${name}`, { skip: adapter.skip, timeout: 480_000 }, async (t) => {
      const database = await adapter.open(t)
      await createNotes(database)
      await fn(createStore(database, { projections: [sums] }), database, t)
    })
  }

  check('O1: state, projection and event commit together or not at all', async (store, database) => {
    await store.transact((tx) => tx.append('notes/a', 0, [note(1), note(2)]))
    await assert.rejects(
      store.transact(async (tx) => {
        await tx.append('notes/a', 2, [note(3)])
        throw new Error('changed my mind')
      }),
      /changed my mind/,
    )
    const events = await readAfter(database.db, 0n, 10)
    assert.deepEqual(
      events.map((event) => event.data),
      [{ n: 1 }, { n: 2 }],
    )
    assert.deepEqual(await totals(store), [['notes/a', 3, 2]])
    const [first] = await store.readStream('notes/a')
    assert.equal(typeof first?.position, 'bigint')
    assert.ok(first?.time instanceof Date)
    assert.deepEqual(first.subject, { namespace: 'demo', kind: 'Note', name: 'n1' })
    assert.deepEqual(
      (await store.readStream('notes/a', 1)).map((event) => event.version),
      [2],
    )
  })

  check('CON10: the database refuses a write through the reader, however it is made', async (store, database) => {
    await store.transact((tx) => tx.append('notes/a', 0, [note(1)]))
    const reader = store.reader<NoteTables>()
    const refused = { code: '25006' }
    for (const write of [
      sql`insert into notes_sums (stream, total, version) values ('notes/b', 1, 1)`,
      sql`update notes_sums set total = 9`,
      sql`with gone as (delete from notes_sums returning *) select * from gone`,
      sql`select total from notes_sums for update`,
      sql`create table notes_other (a int)`,
      sql`select setval('events_position', 1)`,
    ])
      await assert.rejects(write.execute(reader), refused)
    // As untyped code finds them on the handle.
    const untyped = database.reader as typeof database.root
    await assert.rejects(
      untyped.transaction().execute((tx) => sql`update notes_sums set total = 9`.execute(tx)),
      refused,
    )
    await assert.rejects(untyped.withTables<NoteTables>().deleteFrom('notes_sums').execute(), refused)
    assert.deepEqual(await totals(store), [['notes/a', 1, 1]])
    // The same connections write in transactions of the store, and in single statements of core.
    await store.transact((tx) => tx.append('notes/a', 1, [note(2)]))
    await sql`update notes_sums set total = total + 1`.execute(database.root)
    await assert.rejects(sql`update notes_sums set total = -1`.execute(database.root), { code: '23514' })
    await sql`select pg_notify('mesh_appended', '')`.execute(database.root)
    assert.deepEqual(await totals(store), [['notes/a', 4, 2]])
  })

  check(
    'CON7: an event that no plugin declares is refused at append, with the name of its type',
    async (_, database) => {
      const other = defineEvent({ plugin: 'notes', fact: 'forgotten', summary: 'x', data: Type.Object({}) })
      const store = createStore(database, { projections: [sums], eventTypes: [noted] })
      const appendAll = store.transact((tx) =>
        tx.append('notes/a', 0, [note(1), { ...note(2), type: other, data: {} } as NewEvent]),
      )
      await assert.rejects(appendAll, {
        message:
          'the event dev.mesh.notes.forgotten.v1 is declared by no plugin; list it in the `events` of the plugin',
      })
      // The schema is that of the declaration, whichever the event brings.
      const open = { ...noted, data: Type.Object({}) }
      await assert.rejects(
        store.transact((tx) => tx.append('notes/a', 0, [{ ...note(1), type: open, data: { m: 1 } } as NewEvent])),
        { message: /^dev\.mesh\.notes\.noted\.v1: data/ },
      )
      assert.deepEqual(await readAfter(database.db, 0n, 10), [])
      await store.transact((tx) => tx.append('notes/a', 0, [note(1)]))
    },
  )

  check(
    'O2: events of many streams keep their order, each stream its versions, and a known id is emitted once',
    async (store, database) => {
      const one = (stream: string, n: number) => ({
        stream,
        event: { ...note(n), id: `00000000-0000-8000-8000-00000000000${n}` },
      })
      const first = [one('notes/b', 1), one('notes/a', 2), one('notes/b', 3)]
      await store.transact((tx) => tx.appendEach(first))
      await store.transact((tx) => tx.appendEach([...first, one('notes/a', 4), { stream: 'notes/c', event: note(5) }]))
      const events = await readAfter(database.db, 0n, 10)
      assert.deepEqual(
        events.map(({ stream, version, data }) => [stream, version, data]),
        [
          ['notes/b', 1, { n: 1 }],
          ['notes/a', 1, { n: 2 }],
          ['notes/b', 2, { n: 3 }],
          ['notes/a', 2, { n: 4 }],
          ['notes/c', 1, { n: 5 }],
        ],
      )
      assert.deepEqual(await totals(store), [
        ['notes/a', 6, 2],
        ['notes/b', 4, 2],
        ['notes/c', 5, 1],
      ])
    },
  )

  check('O4: of two writers on one version one gets a conflict and nothing is lost', async (store) => {
    const refusedOf = async (expected: number, notes: readonly number[]) => {
      const write = (n: number) => store.transact((tx) => tx.append('notes/a', expected, [note(n)]))
      const outcomes = await Promise.allSettled(notes.map(write))
      return outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    }
    const refused = await refusedOf(0, [1, 2, 3, 4])
    assert.equal(refused.length, 3)
    assert.ok(refused.every((error) => error instanceof StreamConflict && error.code === 'conflict'))
    assert.equal((await store.readStream('notes/a')).length, 1)
    await assert.rejects(
      store.transact((tx) => tx.append('notes/new', 5, [note(1)])),
      StreamConflict,
    )
    await Promise.all([5, 6, 7].map((n) => store.transact((tx) => tx.append('notes/a', 'any', [note(n)]))))
    assert.equal((await refusedOf(4, [8, 9, 10])).length, 2)
    assert.deepEqual(
      (await store.readStream('notes/a')).map((event) => event.version),
      [1, 2, 3, 4, 5],
    )
  })

  check('A4: an event with a given id is appended once, in one transaction and across', async (store, database) => {
    const once = note(1, { id: 'uid-1/create' })
    await store.transact(async (tx) => {
      await tx.append('notes/a', 'any', [once, once])
      await tx.append('notes/b', 'any', [once])
    })
    await Promise.all([1, 2, 3].map(() => store.transact((tx) => tx.append('notes/a', 'any', [once]))))
    assert.equal((await readAfter(database.db, 0n, 10)).length, 1)
    const key = await database.db.selectFrom('event_keys').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(key, { event_id: 'uid-1/create', position: 0n }, 'the range of the event')
  })

  check('inside a transaction the root handle, a second transaction and fetch throw', async (store) => {
    const inside = (work: () => Promise<unknown>) => assert.rejects(store.transact(work), /inside a transaction/)
    await inside(() => store.check())
    await inside(() => store.transact(async () => undefined))
    await inside(() => fetch('http://127.0.0.1:1/'))
    await inside(async () => store.readStream('notes/a'))
    await store.check()
  })

  check('work after COMMIT runs once, outside, and not after a rollback', async (store) => {
    const done: string[] = []
    await store.transact(async (tx) => {
      tx.afterCommit(() => store.check())
      tx.afterCommit(() => void done.push('committed'))
    })
    await assert.rejects(
      store.transact(async (tx) => {
        tx.afterCommit(() => void done.push('rolled back'))
        throw new Error('no')
      }),
    )
    assert.deepEqual(done, ['committed'])
  })

  check('data that is not of the type is refused by field, without its value', async (store) => {
    const wrong = { ...note(1), data: { n: 'secret' } as never }
    await assert.rejects(
      store.transact((tx) => tx.append('notes/a', 0, [wrong])),
      (error: Error) => /dev\.mesh\.notes\.noted\.v1: data\/n/.test(error.message) && !error.message.includes('secret'),
    )
  })

  check(
    'values arrive alike: int8 as bigint, times as Date in UTC, json parsed, bytes as Buffer',
    async (_, database) => {
      const at = new Date('2026-02-03T04:05:06.789Z')
      const { rows } =
        await sql`select ${at}::timestamptz as at, ${at}::timestamptz::date as day, 9007199254740993::int8 as big,
      1::int4 as small, '{"a":[1]}'::jsonb as doc, '\\x0102'::bytea as bytes, 1.50::numeric as money,
      ${[1n, 2n]}::bigint[] as list, '1 day'::interval as span`.execute(database.root)
      const row = rows[0] as Record<string, unknown>
      assert.deepEqual(row.at, at)
      assert.deepEqual(row.day, new Date('2026-02-03T00:00:00Z'))
      assert.equal(row.big, 9007199254740993n)
      assert.equal(row.small, 1)
      assert.deepEqual(row.doc, { a: [1] })
      assert.deepEqual(row.bytes, Buffer.from([1, 2]))
      assert.equal(row.money, '1.50')
      assert.equal(row.span, '1 day')
      assert.deepEqual((row.list as unknown[]).map(String), ['1', '2'])
    },
  )

  check('R2-CL-2: migrations run once each, and one that prevents a rollback is named', async (_, database) => {
    assert.deepEqual(await migrate(database, [storeMigrations]), [])
    await checkMigrations(database, [storeMigrations])
    await assert.rejects(
      checkMigrations(database, [
        storeMigrations,
        { name: 'audit', migrations: new URL('./migrations/', import.meta.url) },
      ]),
      /migrations missing: audit\/0001-log/,
    )
    await sql`insert into mesh_migrations (source, name, breaking) values ('store', '0999-later', false)`.execute(
      database.root,
    )
    await checkMigrations(database, [storeMigrations])
    await sql`update mesh_migrations set breaking = true where name = '0999-later'`.execute(database.root)
    await assert.rejects(checkMigrations(database, [storeMigrations]), /newer version.*store\/0999-later/)
    await assert.rejects(migrate(database, [storeMigrations]), /newer version.*store\/0999-later.*restore a backup/)
  })

  check('a rebuild during writes ends with the same rows, keys and indexes', async (store, database) => {
    await store.transact((tx) =>
      tx.append(
        'notes/early',
        'any',
        Array.from({ length: 700 }, (_, n) => note(n)),
      ),
    )
    await sql`update notes_sums set total = 1`.execute(database.root)
    const enough = new AbortController()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      // Slower than the rebuild, which otherwise would never catch up.
      for (let n = 0; !enough.signal.aborted; n++, await delay(5))
        await store.transact((tx) => tx.append(`notes/${writer}`, 'any', [note(n)]))
    })
    const { events } = await rebuild(database, sums)
    enough.abort()
    await Promise.all(writers)
    assert.ok(events >= 700)
    const expected = new Map<string, number>()
    for (const event of await readAfter(database.db, 0n, 100_000)) {
      expected.set(event.stream, (expected.get(event.stream) ?? 0) + (event.data as { n: number }).n)
    }
    const found = (await totals(store)).map(([stream, total]) => [stream, total])
    assert.deepEqual(
      found,
      [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
    const { rows } = await sql<{ name: string }>`select indexname as name from pg_indexes where schemaname = 'public'
      and tablename = 'notes_sums' union all select conname from pg_constraint where conrelid = 'notes_sums'::regclass
      and contype <> 'n' order by 1`.execute(database.root)
    assert.deepEqual(
      rows.map((row) => row.name),
      ['notes_sums_by_total', 'notes_sums_pkey', 'notes_sums_pkey', 'notes_sums_total'],
    )
  })

  check(
    'retention drops whole ranges with their keys and streams, and a pruned stream goes on',
    async (store, database) => {
      await store.transact((tx) => tx.append('notes/old', 0, [note(1, { id: 'k-old' })]))
      await database.db.transaction().execute((db) => beginRange(db, 1))
      await store.transact((tx) => tx.append('notes/young', 0, [note(2, { id: 'k-young' })]))
      const [, young] = await readAfter(database.db, 0n, 10)
      assert.ok((young?.position ?? 0n) > rangeSize)
      const prune = () => database.db.transaction().execute((db) => pruneBefore(db, 30))
      assert.deepEqual(await prune(), [], 'the range ended today')
      await sql`update event_ranges set created_at = now() - interval '31 days'`.execute(database.root)
      await sql`insert into cursor (name, stream, position) values ('a.consumer', '*', ${rangeSize})`.execute(
        database.root,
      )
      assert.deepEqual(await prune(), [], 'the relay has never run')
      await sql`insert into cursor (name, stream, position) values ('relay', '*', 0)`.execute(database.root)
      assert.deepEqual(await prune(), [], 'the relay has not published it')
      await sql`update cursor set position = ${rangeSize}`.execute(database.root)
      await sql`update cursor set position = ${rangeSize - 2n} where name = 'a.consumer'`.execute(database.root)
      assert.deepEqual(await prune(), [], 'a consumer is behind')
      await sql`update cursor set position = ${rangeSize}`.execute(database.root)
      assert.deepEqual(await prune(), [0])
      assert.deepEqual(
        (await readAfter(database.db, 0n, 10)).map((event) => event.id),
        ['k-young'],
      )
      assert.deepEqual(
        (await database.db.selectFrom('event_keys').select('event_id').execute()).map((row) => row.event_id),
        ['k-young'],
      )
      await store.transact((tx) => tx.append('notes/old', 1, [note(3)]))
      assert.deepEqual(
        (await store.readStream('notes/old')).map((event) => event.version),
        [2],
      )
      await assert.rejects(rebuild(database, sums), /retention/)
    },
  )
}

test(
  'O2: position is commit order; no reader skips a row that commits late',
  needs('postgres', 'initdb'),
  async (t) => {
    const url = await createDatabase(t)
    const database = await openDatabase({ url, connections: 60 })
    t.after(() => database.close())
    await migrate(database, [storeMigrations])
    await createNotes(database)
    const store = createStore(database, { projections: [sums] })
    const elsewhere = await otherDatabase(t)
    await elsewhere.query('begin')
    await elsewhere.query('create table held (a int)')
    const writers = Promise.all(
      Array.from({ length: 50 }, async (_, writer) => {
        for (let n = 0; n < 8; n++) {
          await store.transact(async (tx) => {
            await tx.append(`notes/${writer}`, 'any', [note(n)])
            await sql`select pg_sleep(${Math.random() * 0.03})`.execute(tx.tables())
            if (writer % 5 === 0) await tx.append(`notes/shared`, 'any', [note(n)])
          })
        }
      }),
    )
    const seen: string[] = []
    let position = 0n
    let writing = true
    void writers.finally(() => (writing = false))
    for (let last = false; !last;) {
      last = !writing
      const page = await readAfter(database.db, position, 100)
      seen.push(...page.map((event) => event.id))
      position = page.at(-1)?.position ?? position
    }
    await writers
    await elsewhere.query('rollback')
    const committed = await readAfter(database.db, 0n, 10_000)
    assert.equal(committed.length, 50 * 8 + 10 * 8)
    assert.deepEqual(
      seen,
      committed.map((event) => event.id),
    )
    const versions = committed.filter((event) => event.stream === 'notes/shared').map((event) => event.version)
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
      'the versions of a stream are in position order',
    )
  },
)

test('a deadlock is retried as a whole', needs('postgres', 'initdb'), async (t) => {
  const database = await openDatabase({ url: await createDatabase(t) })
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  await createNotes(database)
  const store = createStore(database, { projections: [sums] })
  await store.transact(async (tx) => {
    await tx.append('notes/a', 0, [note(1)])
    await tx.append('notes/b', 0, [note(1)])
  })
  let runs = 0
  const bothHold = Promise.withResolvers<void>()
  const crossing = (first: string, second: string) =>
    store.transact(async (tx) => {
      await tx.append(first, 'any', [note(1)])
      if (++runs === 2) bothHold.resolve()
      await bothHold.promise
      await tx.append(second, 'any', [note(1)])
    })
  await Promise.all([crossing('notes/a', 'notes/b'), crossing('notes/b', 'notes/a')])
  assert.ok(runs > 2, 'one of them was run again')
  assert.equal((await store.readStream('notes/a')).length, 3)
})

test('a store that does not answer is store_unavailable', async () => {
  const database = await openDatabase({ url: 'postgres://127.0.0.1:1/none' })
  await assert.rejects(createStore(database, { projections: [] }).check(), { code: 'store_unavailable' })
  await database.close()
})

test('a projection is registered once, and one table has one writer', async () => {
  const database = await openDatabase({ url: 'postgres://127.0.0.1:1/none' })
  assert.throws(() => createStore(database, { projections: [sums, sums] }), /notes\.sums/)
  assert.throws(() => createStore(database, { projections: [sums, { ...sums, name: 'other' }] }), /notes_sums/)
  const late = createStore(database, { projections: () => [sums, sums] })
  await assert.rejects(
    late.transact(async () => undefined),
    /notes\.sums/,
  )
  assert.equal(noted.type, 'dev.mesh.notes.noted.v1')
  await database.close()
})

async function totals(store: Store): Promise<[string, number, number][]> {
  const rows = await store
    .reader<NoteTables>()
    .selectFrom('notes_sums')
    .selectAll()
    .orderBy(sql`stream collate "C"`)
    .execute()
  return rows.map((row) => [row.stream, row.total, row.version])
}

async function otherDatabase(t: TestContext): Promise<Client> {
  const client = new Client({ connectionString: await createDatabase(t) })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  return client
}
