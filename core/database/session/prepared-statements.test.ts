import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { openDatabase } from '../database.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createStatementNames, PreparedStatements } from './prepared-statements.ts'

const onServer = needs('postgres', 'initdb')
const repeat = (times: number, work: () => unknown): void => {
  for (let n = 0; n < times; n++) work()
}

test('R2-P2: texts that are executed a few times take no name from frequent ones', () => {
  const names = createStatementNames({ named: 2, counted: 3 })
  for (let n = 0; n < 50; n++) repeat(4, () => names.of(`migration ${n}`))
  repeat(5, () => names.of('hot'))
  assert.ok(names.of('hot'))
  for (let n = 0; n < 50; n++) repeat(4, () => names.of(`list of ${n} parameters`))
  assert.ok(names.current('hot'))
  // Counted longer ago than the bound, so it begins again.
  repeat(4, () => names.of('migration 49'))
  assert.equal(names.of('migration 0'), undefined)
})

test('R2-P2: the least recently used statement loses its name to another', () => {
  const names = createStatementNames({ named: 2, counted: 3 })
  for (const text of ['a', 'b']) repeat(5, () => names.of(text))
  names.of('a')
  repeat(5, () => names.of('c'))
  assert.deepEqual(
    ['a', 'b', 'c'].map((text) => names.current(text) !== undefined),
    [true, false, true],
  )
})

test('R2-P2: each connection closes the names that were lost, once, and those of before `renew`', () => {
  const names = createStatementNames({ named: 1, counted: 3 })
  const [first, second] = [new PreparedStatements(names), new PreparedStatements(names)]
  repeat(6, () => first.of('a'))
  const lost = second.of('a')?.name
  repeat(6, () => first.of('b'))
  assert.deepEqual([first.takeLost(), second.takeLost()], [[lost], [lost]])
  assert.deepEqual([first.takeLost(), second.takeLost()], [[], []])
  const kept = first.of('b')?.name
  first.renew()
  assert.deepEqual([first.takeLost(), second.takeLost()], [[kept], []])
  repeat(6, () => first.of('b'))
  assert.notEqual(first.of('b')?.name, kept)
})

test(
  'R2-P2: what the server holds of a connection is bounded, and statements work after they lost their name',
  onServer,
  async (t) => {
    const database = await open(t)
    const run = (n: number) => sql.raw<{ n: number }>(`select ${n} as n, $1::integer as p`)
    const executeEach = async (): Promise<void> => {
      for (let n = 0; n < 340; n++)
        await database.transaction(async (db) => {
          const query = { ...run(n).compile(db), parameters: [n] }
          const rows = await Promise.all(
            Array.from({ length: 7 }, () => db.executeQuery<{ n: number; p: number }>(query)),
          )
          assert.deepEqual(rows.at(-1)?.rows, [{ n, p: n }])
        })
    }
    await executeEach()
    assert.ok((await preparedOf(database)).length > 250)
    await executeEach()
    const held = await preparedOf(database)
    assert.ok(held.length <= 300, `${held.length} statements`)
  },
)

test('R2-P2: migrations leave no prepared statement', onServer, async (t) => {
  const database = await open(t)
  for (let turn = 0; turn < 6; turn++) await migrate(database, [storeMigrations])
  assert.deepEqual(await preparedOf(database), [])
})

test('R2-P2: without preparation no statement has a name', onServer, async (t) => {
  const database = await open(t, false)
  for (let n = 0; n < 12; n++) await sql`select ${n}::integer`.execute(database.reader)
  assert.deepEqual(await preparedOf(database), [])
})

async function open(t: TestContext, prepare?: boolean): Promise<Database> {
  const options = prepare === undefined ? {} : { prepare }
  const database = await openDatabase({ url: await createDatabase(t), connections: 1, ...options })
  t.after(() => database.close())
  return database
}

async function preparedOf(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
    database.reader,
  )
  return rows.map(({ statement }) => statement)
}
