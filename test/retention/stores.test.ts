import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openEveryTable } from './every-table.ts'
import { dataOf, keptData } from '../../scripts/retention/stores.ts'

test('F10: every table belongs to one row of docs/operations/retention.md, and every row has its tables', async (t) => {
  const database = await openEveryTable(t)
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`.execute(database.root)
  const names = rows.map(({ name }) => name)
  assert.ok(names.length > 50, `${names.length} tables`)
  for (const name of names) assert.equal(dataOf(name).length, 1, name)
  for (const { tables } of keptData)
    for (const table of tables)
      assert.ok(
        names.some((name) => (table.endsWith('*') ? name.startsWith(table.slice(0, -1)) : name === table)),
        table,
      )
})
