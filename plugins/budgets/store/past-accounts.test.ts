import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { openLedger } from '../testing/ledger.ts'

const capOf = (days: number): string => `Cap/${uuidV7(Date.now() - days * 86_400_000)}`
const [pastCap, recentCap] = [capOf(62), capOf(60)]

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: F10: accounts of windows that are long over are removed, others stay`,
    { skip, timeout: 480_000 },
    async (t) => {
      const { ledger, database } = await openLedger(t, open)
      // Retention of holds is 30 days by default, and a window may be a month.
      await sql`insert into budgets_accounts (owner, currency, spend_window, window_start, held)
        select owner, 'USD', span, now() - make_interval(days => age), held from (values
          ('past', 'hour', 62, 0), ('past-month', 'month', 62, 0), ('held', 'day', 62, 5), ('total', 'total', 9999, 0),
          (${pastCap}, 'total', 0, 0), (${recentCap}, 'total', 0, 0),
          ('recent', 'month', 60, 0), ('now', 'hour', 0, 0)) given (owner, span, age, held)`.execute(database.root)
      while ((await ledger.removeEnded(1)) === 1);
      const { rows } = await sql<{ owner: string }>`select owner from budgets_accounts order by owner`.execute(
        database.root,
      )
      assert.deepEqual(
        rows.map(({ owner }) => owner),
        [recentCap, 'held', 'now', 'recent', 'total'],
      )
    },
  )
}
