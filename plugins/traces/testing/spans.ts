import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { readOwners } from '#plugins/runs/store/read-owners.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { buildTrace } from '../spans/build-trace.ts'
import { receiveSpans } from '../receive-spans.ts'
import type { TracesServices } from '../services/create-services.ts'
import { tracesSettings } from '../contract/settings.ts'
import type { TracesSettings } from '../contract/settings.ts'
import { readChunks } from '../store/read-spans.ts'
import type { SpanOwner } from '../spans/stored-span.ts'
import type { TracesTables } from '../contract/tables.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../../runs/migrations/', import.meta.url) }
/** Migrations of the plugin. */
export const tracesMigrations = { name: 'traces', migrations: new URL('../migrations/', import.meta.url) }

/** The agent of these tests. */
export const robot: SpanOwner = { namespace: 'default', name: 'robot', uid: 'uid-1' }

/** A span in the JSON encoding of OTLP: it began a millisecond ago and has just ended. */
export function spanOf(traceId: string, id: string, fields: object = {}) {
  const now = BigInt(Date.now()) * 1_000_000n
  const times = { startTimeUnixNano: String(now - 1_000_000n), endTimeUnixNano: String(now) }
  return { traceId, spanId: id, name: `span ${id}`, kind: 1, ...times, ...fields }
}

/** The n-th span id. */
export function spanId(n: number): string {
  return (n + 1).toString(16).padStart(16, '0')
}

/** An export request. */
export function exportOf(...spans: readonly object[]) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'py' } }] }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'lib' }, spans }] }] }
}

/** Spans on a migrated database with runs of the test agent, in a live namespace `default`. */
export async function openSpans(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  some: Partial<TracesSettings> = {},
) {
  const database = await open(t, [{ name: 'cluster', migrations: clusterMigrations }, runsMigrations, tracesMigrations])
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', '', 'default', '1', '')`.execute(database.root)
  const world = createWorld(database)
  const counts: string[] = []
  const services: Pick<TracesServices, 'core' | 'settings' | 'received'> = {
    core: { store: world.store, now: () => new Date() } as TracesServices['core'],
    settings: { ...Value.Create(tracesSettings), ...some },
    received: (outcome, spans) => void (spans > 0 && counts.push(`${outcome} ${spans}`)),
  }
  const owners = (uid: string, traceIds: readonly string[]) =>
    readOwners(world.store.reader<RunsTables>(), uid, traceIds)
  const access = (namespace: string) => ({ namespace: namespace as DnsLabel }) as Access<'get', 'runs'>
  const chunks = (traceId: string, namespaces: readonly string[] = ['default']) =>
    readChunks(world.store.reader<TracesTables>(), namespaces.map(access), traceId)
  return {
    database,
    world,
    store: world.store,
    counts,
    chunks,
    run: (given = {}) => queueRunOf(world, given),
    send: (body: unknown, owner: SpanOwner = robot) => receiveSpans(services, { tracesOf: owners }, owner, body),
    tree: async (traceId: string) => buildTrace((await chunks(traceId)).chunks),
    /** Rows of totals and usage. */
    async accounts() {
      const totals = await sql<{ spans: number }>`select spans from traces_totals order by spans`.execute(database.root)
      const usage = await sql<{ bytes: bigint }>`select bytes from traces_usage`.execute(database.root)
      return { totals: totals.rows.map(({ spans }) => spans), bytes: Number(usage.rows[0]?.bytes ?? 0) }
    },
  }
}
