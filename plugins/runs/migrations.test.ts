import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { up as createTables } from './migrations/0001-runs.ts'
import { up as addTickets } from './migrations/0002-tickets.ts'
import { up as addLaunchers } from './migrations/0003-launchers.ts'
import { up as addIndexes } from './migrations/0004-list-indexes.ts'
import { up as widenUsage } from './migrations/0005-usage-and-tries.ts'
import { up as addStorage } from './migrations/0006-shares-and-storage.ts'
import { claimRuns } from './store/claims.ts'
import { deleteRunContent } from './store/deletion.ts'
import { readRunUsage } from './store/internal/usage.ts'
import { createWorld } from './testing/world.ts'
import type { RunsTables } from './contract/tables.ts'

const folder = new URL('migrations/', import.meta.url)

for (const { name, skip, open } of adapters)
  test(
    `${name}: F10: runs from before the count of stored bytes are counted, claimed and removed`,
    { skip },
    async (t) => {
      const database = await open(t)
      await migrate(database, [storeMigrations])
      const { root } = database
      for (const up of [createTables, addTickets, addLaunchers, addIndexes]) await up(root)
      const [waiting, ended] = [uuidV7(), uuidV7()]
      const text = JSON.stringify('x'.repeat(1000))
      for (const [id, state, lease] of [
        [waiting, 'queued', 'ready'],
        [ended, 'succeeded', 'done'],
      ]) {
        await sql`insert into runs_runs (id, version, namespace, namespace_uid, conversation_id, root_run_id, trigger_kind, trigger_by,
        state, trace_id, input_tokens, created_at)
        values (${id}, 1, 'team', 'uid', 'c', ${id}, 'api', 'alice', ${state}, 't', 7, now())`.execute(root)
        await sql`insert into runs_content (run_id, input, output, grant_token) values (${id}, ${text}, ${text}, '')`.execute(
          root,
        )
        await sql`insert into runs_lease (run_id, state, wake_at, idle_since) values (${id}, ${lease}, now(), now())`.execute(
          root,
        )
        for (const seq of [1, 2])
          await sql`insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
          values (${id}, ${seq}, now(), 'step.started', '[]', '', ${text})`.execute(root)
      }
      for (const up of [widenUsage, addStorage]) await up(root)
      for (const file of readdirSync(folder).filter((one) => one > '0007')) {
        const later = (await import(new URL(file, folder).href)) as { up: typeof addStorage }
        await root.transaction().execute((tx) => later.up(tx))
      }
      const { store } = createWorld(database)
      const upTo = { queuedPerNamespace: 10, queuedPerCaller: 10 }
      const usage = () => readRunUsage(store.reader<RunsTables>(), { namespaceUid: 'uid', caller: 'alice' }, upTo)
      const before = await usage()
      assert.deepEqual([before.queuedInNamespace, before.queuedByCaller], [1, 1])
      assert.ok(before.storedBytes > 0)
      const { claims } = await store.transact((tx) =>
        claimRuns(tx.tables<RunsTables>(), { holder: 'w', limit: 5, share: 5, held: new Map() }),
      )
      assert.deepEqual(
        claims.map(({ runId, namespaceUid, tries, bytes }) => [runId, namespaceUid, tries, bytes]),
        [[waiting, 'uid', 0, before.storedBytes / 2]],
      )
      const runs = await store.transact((tx) => deleteRunContent(tx.tables<RunsTables>(), [waiting, ended]))
      assert.deepEqual(
        runs.map((run) => run.input_tokens),
        [7, 7],
      )
      assert.equal((await usage()).storedBytes, 0)
    },
  )
