import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import type { Store } from '#core/event-store/store.ts'
import type { AuditRow } from '#plugins/audit/rows/audit-row.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'

// Without autovacuum, so that the remains of one round are not cleaned up during another.
const settings = { shared_buffers: '256MB', max_wal_size: '4GB', autovacuum: 'off' }

/** A PostgreSQL server with the tables of the audit log. */
export async function openAuditStore(
  t: Scope,
): Promise<{ readonly url: string; readonly store: Store; readonly client: Client }> {
  const postgres = await startPostgres(t, { fsync: true, settings })
  const database = await openDatabase({ url: postgres.url })
  t.after(() => database.close())
  const audit = { name: 'audit', migrations: new URL('../../plugins/audit/migrations/', import.meta.url) }
  await migrate(database, [...coreMigrations, audit])
  const client = new Client({ connectionString: postgres.url, options: '-c TimeZone=UTC' })
  await client.connect()
  t.after(() => client.end())
  return { url: postgres.url, store: createStore(database, { projections: [] }), client }
}

// The maximum of one writer: rows arrive in time order, and many share a millisecond.
const rowsPerMs = 30

/** Rows of an informer up to a time: a key each, of a hundred users in fifty namespaces. */
export function makeRows(count: number, at: Date): readonly AuditRow[] {
  return Array.from({ length: count }, (_, n) => {
    const id = randomUUID()
    return {
      key: `update/${id}/1`,
      eventKey: `event/${id}`,
      id,
      occurred_at: new Date(at.getTime() - Math.floor((count - n) / rowsPerMs)),
      source: 'controller',
      actor: `user-${n % 100}@example.com`,
      actor_kind: 'user',
      action: ['create', 'update', 'delete'][n % 3] ?? 'update',
      resource_kind: ['AgentDeployment', 'AgentTemplate', 'Namespace'][n % 3] ?? 'AgentDeployment',
      resource_name: `agent-${n % 1000}`,
      namespace: `team-${n % 50}`,
      outcome: 'success',
      trace_id: null,
      detail: { uid: id, resourceVersion: String(n) },
      actor_exact: false,
      namespace_uid: null,
    }
  })
}

/** Fills the days before today with rows on the server, evenly, with one in fifty failed. A million takes half a minute. */
export async function fillDays(client: Client, rows: number, days: number): Promise<void> {
  for (let ago = 1; ago <= days; ago++) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    await client.query(`create table if not exists audit_log_${day.replaceAll('-', '')} partition of audit_log
      for values from ('${day}T00:00:00Z') to ('${day}T00:00:00Z'::timestamptz + interval '1 day')`)
    await client.query(
      `with made as (
        select gen_random_uuid() as id, '${day}T00:00:00Z'::timestamptz + (n - 1) * interval '1 day' / $1::int as at, n
        from generate_series(1, $1::int) as n),
      keys as (insert into audit_keys (generation, id, occurred_at, exact) select 1, id, at, false from made)
      insert into audit_log (id, occurred_at, source, actor, actor_kind, action, resource_kind, resource_name, namespace, outcome, detail)
      select id, at, 'controller', 'user-' || n % 100 || '@example.com', 'user', (array['create','update','delete'])[n % 3 + 1],
        (array['AgentDeployment','AgentTemplate','Namespace'])[n / 7 % 3 + 1], 'agent-' || n % 1000, 'team-' || n % 50,
        case n % 100 when 0 then 'denied' when 50 then 'error' else 'success' end,
        jsonb_build_object('uid', id, 'resourceVersion', n::text) from made`,
      [Math.ceil(rows / days)],
    )
  }
  await client.query('analyze audit_log')
  await client.query('analyze audit_keys')
}
