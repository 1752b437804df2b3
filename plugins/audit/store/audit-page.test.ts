import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createActorFinder } from '../audit-log.ts'
import { changeId } from '../rows/row-keys.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import { rowOf } from '../testing/rows.ts'
import { auditPage } from './audit-page.ts'
import type { AuditTables } from '../contract/tables.ts'
import { writeRows } from './write-rows.ts'

const [, postgres] = adapters
const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
const window = { from: ago(2.5), to: ago(0.5) }
const filters = [
  ['nothing', '', {}, /_pkey"/],
  ['namespace', 'team-1', {}, /_namespace_occurred_at_idx"/],
  ['actor', '', { actor: 'user-1' }, /_actor_occurred_at_idx"/],
  ['action', '', { action: 'rare' }, /_action_occurred_at_idx"/],
  ['kind', '', { kind: 'Kind1' }, /_resource_kind_occurred_at_idx"/],
  ['name', '', { resourceName: 'n-7' }, /_resource_name_occurred_at_idx"/],
  ['trace', '', { traceId: 'f'.repeat(32) }, /_trace_id_occurred_at_idx"/],
  ['kind of actor and source', '', { actorKind: 'system', source: 'bff' }, /_actor_kind_source_occurred_at_idx"/],
  ['outcome', '', { outcome: 'denied' }, /_outcome_occurred_at_idx"/],
  ['namespace and outcome', 'team-2', { outcome: 'denied' }, /_namespace_outcome_occurred_at_idx"/],
  ['time', '', window, /_pkey"/],
  ['outcome and time', '', { outcome: 'denied', ...window }, /_outcome_occurred_at_idx"/],
  ['actor and time', '', { actor: 'user-1', ...window }, /_actor_occurred_at_idx"/],
  [
    'all of them',
    'team-1',
    { actor: 'user-1', action: 'rare', kind: 'Kind1' },
    /_(?:namespace|actor|action|kind)_occurred_at_idx"/,
  ],
] as const

test(
  'goal 9, UXM16: a page scans no whole day, with any filter; each filter has an index',
  { skip: postgres.skip },
  async (t) => {
    const own = { name: 'audit', migrations: new URL('../migrations/', import.meta.url) }
    const database = await postgres.open(t, [storeMigrations, own])
    const store = createStore(database, { projections: [] })
    const day = 86_400_000
    const rows = Array.from({ length: 6_000 }, (_, n) =>
      rowOf(n, Date.now() - (n % 3) * day - n, {
        namespace: `team-${n % 20}`,
        actor: `user-${n % 20}`,
        action: n % 20 === 1 ? 'rare' : 'update',
        resource_kind: `Kind${n % 20}`,
        outcome: n % 20 === 1 ? 'denied' : 'success',
      }),
    )
    for (let start = 0; start < rows.length; start += 500)
      await store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows.slice(start, start + 500), 90))
    await sql`analyze audit_log`.execute(database.root)
    const db = store.reader<AuditTables>()
    const after = { occurredAt: new Date(Date.now() - 1.5 * day), id: rowOf(1, 0).id }
    for (const [name, namespace, filter, index] of filters)
      for (const page of [{ limit: 51 }, { limit: 51, after }]) {
        const access = [{ namespace } as Access<'list', 'auditlogs'>]
        const query = auditPage(db, access, filter, { ...page, retentionDays: 90 })
        const plan = JSON.stringify(await query.explain('json'))
        assert.match(plan, index, `${name}: ${plan}`)
        assert.doesNotMatch(plan, /Seq Scan/, `${name}: ${plan}`)
      }
  },
)

test(
  'UXM7, PODA25: the author of a change is the authenticated actor of its row, never a guess',
  { skip: postgres.skip },
  async (t) => {
    const own = { name: 'audit', migrations: new URL('../migrations/', import.meta.url) }
    const database = await postgres.open(t, [storeMigrations, own])
    const store = createStore(database, { projections: [] })
    const row = (n: number, change: readonly [string, string, string], more: Partial<AuditRow>) => ({
      ...rowOf(n, Date.now()),
      id: changeId(...change),
      ...more,
    })
    const rows = [
      row(1, ['create', 'u1', ''], { actor: 'ada', actor_exact: true }),
      row(2, ['update', 'u1', '7'], { actor: 'manager:kubectl-edit', actor_exact: false }),
      row(3, ['update', 'u1', '9'], { actor: 'olga', actor_exact: true }),
    ]
    await store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
    const find = createActorFinder(store)
    const asked = [
      { uid: 'u1' },
      { uid: 'u1', resourceVersion: '7' },
      { uid: 'u1', resourceVersion: '9' },
      { uid: 'u2' },
    ]
    assert.deepEqual(await Promise.all(asked.map(find)), ['ada', undefined, 'olga', undefined])
  },
)
