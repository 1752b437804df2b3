import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openMemoryStore } from '../testing/memory-store.ts'

test('the event loop turns while callers wait for the embedded store', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  // About 10 ms each: a second in total.
  const statement = sql`select sum(n * n) from generate_series(1, 30000) as n`
  let turns = 0
  let isOver = false
  const count = (): void => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  await statement.execute(database.root)
  const all = Promise.all(Array.from({ length: 100 }, () => statement.execute(database.root)))
  setImmediate(count)
  await all
  isOver = true
  assert.ok(turns > 5, `${turns} turns`)
})
