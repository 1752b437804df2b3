import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { adapters } from './testing/databases.ts'
import { usageTable } from './usage-table.ts'

const usage = usageTable('demo_usage', { owner: 'name', counts: ['items', 'bytes'] })

for (const adapter of adapters)
  test(`${adapter.name}: the usage of owners against quotas`, { skip: adapter.skip }, async (t) => {
    const { db } = await adapter.open(t)
    await sql`create table demo_usage (
      name text primary key, items integer not null check (items >= 0), bytes bigint not null check (bytes >= 0)
    )`.execute(db)
    const inTransaction = db.transaction()
    const rows = async () =>
      (
        await sql<{
          row: string
        }>`select name || ' ' || items || ' ' || bytes as row from demo_usage order by 1`.execute(db)
      ).rows.map(({ row }) => row)

    await t.test('concurrent additions are all counted, and each sees its sum', async () => {
      const seen = await Promise.all(
        Array.from({ length: 10 }, () =>
          inTransaction.execute((tx) => usage.add(tx, "a'%_", { items: 1, bytes: 2 ** 40 })),
        ),
      )
      assert.deepEqual(
        seen.map(({ items }) => items).toSorted((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      )
      assert.deepEqual(await rows(), [`a'%_ 10 ${10 * 2 ** 40}`])
    })

    await t.test('nothing is added above a bound, for a first row and for a later one, and to no owner', async () => {
      const add = (owner: string | null, bytes: number) =>
        inTransaction.execute((tx) =>
          usage.addUpTo(tx, sql<string | null>`${owner}`, { items: 1, bytes }, { bytes: 100 }),
        )
      assert.equal(await add('b', 101), undefined)
      assert.deepEqual(await add('b', 60), { items: 1, bytes: 60, owner: 'b' })
      assert.equal(await add('b', 41), undefined)
      assert.deepEqual(await add('b', 40), { items: 2, bytes: 100, owner: 'b' })
      assert.equal(await add(null, 1), undefined)
      assert.equal(await usage.total(db, 'bytes', 'b'), 100)
    })

    await t.test(
      'what is removed is subtracted by owner, never below 0, and an owner without items is forgotten',
      async () => {
        const remove = (...removed: Parameters<typeof usage.subtract>[1]) =>
          inTransaction.execute((tx) => usage.subtract(tx, removed))
        await remove()
        await remove({ owner: 'b', items: 1, bytes: 30 }, { owner: 'absent', items: 1, bytes: 1 })
        assert.deepEqual((await rows()).at(-1), 'b 1 70')
        await Promise.all([
          remove({ owner: 'b', items: 1, bytes: 900 }, { owner: "a'%_", items: 1, bytes: 1 }),
          remove(
            { owner: "a'%_", items: 1, bytes: 1 },
            { owner: "a'%_", items: 8, bytes: 1 },
            { owner: 'b', items: 0, bytes: 0 },
          ),
        ])
        assert.deepEqual(await rows(), [])
        assert.equal(await usage.total(db, 'bytes'), 0)
      },
    )
  })
