import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { until } from '#launcher/testdata/launch.ts'
import { createWorld, queueRun } from '../testing/world.ts'
import { createRunWatch } from './run-watch.ts'

const migrations = [storeMigrations, { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }]

test('a run that is followed during the query of the watch is not reported as removed', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, migrations)
  const world = createWorld(database)
  const [first, second] = [await queueRun(world, 'one'), await queueRun(world, 'two')]
  const watch = createRunWatch(world.store, 10)
  const seen: string[] = []
  const stream = (name: string) => ({
    last: () => 0,
    behind: () => void seen.push(`${name} behind`),
    gone: () => void seen.push(`${name} gone`),
  })
  // The only connection is taken, so the query of the watch waits for it.
  const [taken, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = database.root.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx)
    taken.resolve()
    await free.promise
  })
  await taken.promise
  const stops = [watch.follow(first.id, stream('first'))]
  await until(() => database.usage().waiting > 0, 'the query waits', 60_000)
  stops.push(watch.follow(second.id, stream('second')))
  free.resolve()
  await holding
  await until(() => seen.includes('second behind'), 'the next query', 60_000)
  assert.deepEqual([...new Set(seen)], ['first behind', 'second behind'])
  for (const stop of stops) stop()
})
