import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { note } from '#core/event-store/testing/notes.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { followLog } from './log-tail.ts'
import { openRelayCursor, readCursor } from './relay-cursor.ts'

const never = 3_600_000

test(
  'O1, O2: the tails of two processes read every commit of both, once and in commit order',
  { ...needs('postgres', 'initdb'), timeout: 480_000 },
  async (t) => {
    const url = await createDatabase(t)
    const databases = [await openDatabase({ url }), await openDatabase({ url })]
    t.after(async () => {
      for (const database of databases) await database.close()
    })
    await migrate(databases[0] as Database, [storeMigrations])
    const stopped = new AbortController()
    const expected = 400
    const following = databases.map((database) => follow(database, expected, stopped.signal))
    // Transactions of random length, one in eight rolled back, one in eight with a position that nothing gets.
    const write = async (database: Database, n: number): Promise<void> => {
      const store = createStore(database, { projections: [] })
      const written = store.transact(async (tx) => {
        await tx.append(`notes/${n % 7}`, 'any', [note(n), note(n)])
        await sql`select pg_sleep(${Math.random() * 0.003})`.execute(tx.tables())
        if (n % 8 === 1) await sql`select nextval('events_position')`.execute(tx.tables())
        if (n % 8 === 2) throw new Error('rolled back')
      })
      await written.catch(() => undefined)
      if (n % 8 === 2) await write(database, n + 8_001)
    }
    const writers = databases.flatMap((database, process) =>
      Array.from({ length: 5 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) await write(database, process * 100 + writer * 20 + n)
      }),
    )
    await Promise.all(writers)
    const log = await readAfter(databases[0]?.db as Database['db'], 0n, 1_000)
    assert.equal(log.length, expected)
    for (const read of await Promise.all(following))
      assert.deepEqual(
        read.map(({ position }) => position),
        log.map(({ position }) => position),
      )
  },
)

async function follow(database: Database, count: number, signal: AbortSignal): Promise<readonly StoredEvent[]> {
  const tail = followLog(database, 500)
  const read: StoredEvent[] = []
  while (read.length < count) {
    const batch = await tail.read(read.at(-1)?.position ?? 0n, 20)
    read.push(...batch)
    if (batch.length === 0) await tail.wait(never, signal)
  }
  await tail.stop()
  return read
}

for (const adapter of adapters)
  test(
    `${adapter.name}: a tail reads what its own process commits without the table`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      const store = createStore(database, { projections: [] })
      const tail = followLog(database, never)
      t.after(() => tail.stop())
      await store.transact((tx) => tx.append('notes/a', 0, [note(0)]))
      const [first] = await tail.read(0n, 10)
      // A row that is only in memory shows from where it was read.
      await store.transact((tx) => tx.append('notes/a', 1, [note(1)]))
      await sql`delete from events where version = 2`.execute(database.root)
      const [second] = await tail.read(first?.position ?? 0n, 10)
      assert.equal(second?.version, 2)
      // A position that is unknown here makes it read the table.
      await database.transaction((tx) => sql`select nextval('events_position')`.execute(tx))
      await store.transact((tx) => tx.append('notes/a', 2, [note(2)]))
      const [third] = await tail.read(second.position, 10)
      assert.equal(third?.version, 3)
      assert.deepEqual(await tail.read(third.position, 10), [])
    },
  )

test('O5: a relay that was replaced does not store its position', needs('postgres', 'initdb'), async (t) => {
  const url = await createDatabase(t)
  const database = await openDatabase({ url })
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  await sql`insert into leader (name, holder, epoch, expires_at) values ('relay', 'one', 3, now())`.execute(
    database.root,
  )
  const cursor = await openRelayCursor(database, 3n, 0)
  assert.equal(cursor.saveInMs(), Infinity)
  cursor.advance(7n)
  assert.equal(cursor.saveInMs(), 0)
  await cursor.save()
  assert.equal(await readCursor(database), 7n)
  assert.equal(cursor.saveInMs(), Infinity)
  cursor.advance(9n)
  await sql`update leader set epoch = 4`.execute(database.root)
  await assert.rejects(cursor.save(), { message: /epoch 3 of relay has ended/ })
  assert.equal(await readCursor(database), 7n)
  assert.equal((await openRelayCursor(database, 4n, 0)).position, 7n)
})
