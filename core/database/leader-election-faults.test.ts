import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { startProcess } from '#test/harness/server-process.ts'
import type { ServerProcess } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openDatabase } from './database.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'

const leader = fileURLToPath(import.meta.resolve('./testing/leader.ts'))
const faults = Number(process.env['MESH_LEADER_FAULTS'] ?? 5)
// A tenth of a role's TTL: the same races in less time.
const ttlMs = 500
const takeoverMs = 15_000

test(
  `O5: ${faults} pauses and kills of the leading process: no write of a stale epoch, takeover within 15 s`,
  { ...needs('postgres', 'initdb'), timeout: 480_000 + faults * 25_000 },
  async (t) => {
    const url = await createDatabase(t)
    const database = await openDatabase({ url })
    t.after(() => database.close())
    await migrate(database, [storeMigrations])
    await sql`create table writes (n bigint generated always as identity, epoch bigint, leader bigint)`.execute(
      database.root,
    )
    const contenders = createContenders(t, [url, String(ttlMs)])
    for (let n = 0; n < 3; n++) contenders.start()
    const takeovers: number[] = []
    await untilWritten(database, 0n)
    for (let round = 0; round < faults; round++) {
      const { holder, epoch } = await leaderOf(database)
      const victim = contenders.find(holder)
      await sleep(Math.random() * 60)
      const from = performance.now()
      const kill = Math.random() < 0.5
      if (kill) await contenders.kill(holder)
      else victim.freeze()
      await untilWritten(database, epoch)
      takeovers.push(performance.now() - from)
      // It resumes as if it were still leader, perhaps in the middle of its transaction.
      if (kill) contenders.start()
      else victim.thaw()
    }
    const { rows: stale } = await sql`select * from writes where epoch <> leader`.execute(database.root)
    assert.deepEqual(stale, [])
    // A takeover waits for the write in progress, so epochs never decrease.
    const { rows: back } = await sql`
      select * from (select n, epoch, lag(epoch) over (order by n) as before from writes) as w where epoch < before`.execute(
      database.root,
    )
    assert.deepEqual(back, [])
    const longest = Math.max(...takeovers)
    t.diagnostic(`${takeovers.length} takeovers, longest ${Math.round(longest)} ms`)
    assert.ok(longest <= takeoverMs, `${Math.round(longest)} ms`)
  },
)

function createContenders(t: TestContext, args: readonly string[]) {
  const folder = tempFolder('leader')
  const running = new Map<string, ServerProcess>()
  let next = 0
  t.after(async () => {
    await Promise.all([...running.values()].map((one) => one.end('SIGKILL')))
    folder.remove()
  })
  return {
    start: () => {
      const holder = `contender-${next++}`
      const log = join(folder.path, 'leader.log')
      running.set(holder, startProcess({ program: process.execPath, args: [leader, ...args, holder], log }))
    },
    find: (holder: string): ServerProcess => {
      const found = running.get(holder)
      assert.ok(found, `${holder} leads`)
      return found
    },
    kill: async (holder: string) => {
      await running.get(holder)?.end('SIGKILL')
      running.delete(holder)
    },
  }
}

async function leaderOf({ db }: Database): Promise<{ readonly holder: string; readonly epoch: bigint }> {
  return db.selectFrom('leader').select(['holder', 'epoch']).where('name', '=', 'job').executeTakeFirstOrThrow()
}

/** Waits for the first write of a later epoch. */
async function untilWritten({ root }: Database, after: bigint): Promise<void> {
  for (;;) {
    const { rows } = await sql`select 1 from writes where epoch > ${after} limit 1`.execute(root)
    if (rows.length > 0) return
    await sleep(20)
  }
}
