import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { NewEvent } from '#core/event-store/event.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import type { RequestOutcome } from '#core/http/audit/events.ts'
import { controllerConsumers } from '../consumers.ts'
import { listUnobserved, pruneReports } from './reported-objects.ts'

const kind = 'AgentTemplate'
const [consumer] = controllerConsumers

async function setUp(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }])
  const store = createStore(database, { projections: [] })
  let handled = 0
  return {
    database,
    /** Appends outcomes and has the consumer handle them in one batch. */
    report: async (...events: readonly NewEvent[]) => {
      const stream = 'audit/outcomes'
      await store.transact((tx) => tx.append(stream, 'any', events))
      const stored = await store.readStream(stream, handled)
      handled += stored.length
      await store.transact((tx) => consumer?.handle(stored, tx) ?? Promise.resolve())
    },
    unobserved: async () => {
      const found = await listUnobserved(store.reader<ObjectIndexTables>(), [kind])
      return found.map(({ uid, namespace, name, resourceVersion }) => `${uid} ${namespace}/${name} ${resourceVersion}`)
    },
    observe: (uid: string) =>
      sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
        values (${uid}, ${kind}, 'team', ${uid}, '1', 'x')`.execute(database.root),
    reports: async () =>
      (await sql<{ uid: string }>`select uid from reported_objects order by uid`.execute(database.root)).rows.map(
        ({ uid }) => uid,
      ),
  }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

function outcome(
  data: Partial<RequestOutcome>,
  { name = 'one', time = minutesAgo(1), namespace = 'team' } = {},
): NewEvent {
  return {
    type: requestOutcome,
    time,
    subject: { namespace, kind, name },
    data: { action: 'create', resourceKind: kind, outcome: 'success', ...data },
  }
}

for (const { name, skip, open } of adapters) {
  test(
    `A4: accepted creations and updates are reported objects until an informer has seen them (${name})`,
    { skip },
    async (t) => {
      const it = await setUp(t, open)
      await it.observe('seen')
      await it.report(
        outcome({ uid: 'made', resourceVersion: '9' }, { time: minutesAgo(9) }),
        outcome({ uid: 'seen', resourceVersion: '9' }),
        outcome({ uid: 'deleted', resourceVersion: '9', action: 'delete' }),
        outcome({ uid: 'cleared', resourceVersion: '9', action: 'clear', change: 'delete' }),
        outcome({ uid: 'rolled', resourceVersion: '9', action: 'rollback', change: 'update' }, { time: minutesAgo(5) }),
        outcome({ uid: 'denied', resourceVersion: '9', outcome: 'denied' }),
        outcome({ uid: 'failed', resourceVersion: '9', outcome: 'error' }),
        outcome({ uid: 'old', resourceVersion: '9' }, { time: minutesAgo(7 * 24 * 60 + 1) }),
        outcome({ uid: 'other', resourceVersion: '9', resourceKind: 'Secret' }),
        outcome({ resourceVersion: '9' }),
      )
      assert.deepEqual(await it.reports(), ['made', 'other', 'rolled'])
      assert.deepEqual(await it.unobserved(), ['rolled team/one 9', 'made team/one 9'])
      await it.observe('made')
      assert.deepEqual(await it.unobserved(), ['rolled team/one 9'])
    },
  )

  test(
    `A4: of several writes of an object the newest version counts, in any order of delivery (${name})`,
    { skip },
    async (t) => {
      const it = await setUp(t, open)
      const versions = async (...of: readonly string[]) =>
        it.report(...of.map((resourceVersion) => outcome({ uid: 'made', resourceVersion, action: 'update' })))
      await versions('8', '10', '9')
      assert.deepEqual(await it.unobserved(), ['made team/one 10'])
      await versions('9')
      assert.deepEqual(await it.unobserved(), ['made team/one 10'])
      await versions('11')
      assert.deepEqual(await it.unobserved(), ['made team/one 11'])
    },
  )

  test(`reports that are observed or older than a week are deleted (${name})`, { skip }, async (t) => {
    const it = await setUp(t, open)
    const prune = () => it.database.db.transaction().execute((tx) => pruneReports(tx as Transaction<unknown>))
    for (const uid of ['made', 'old', 'seen']) await it.report(outcome({ uid, resourceVersion: '9' }))
    await it.observe('seen')
    await sql`update reported_objects set reported_at = now() - interval '169 hours' where uid = 'old'`.execute(
      it.database.root,
    )
    assert.deepEqual(await it.unobserved(), ['made team/one 9'])
    assert.equal(await prune(), 2n)
    assert.deepEqual(await it.reports(), ['made'])
  })
}
