import test from 'node:test'
import type { TestContext } from 'node:test'
import { objectCreated, objectDeleted, objectUpdated } from '#core/controllers/objects/object-events.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import type { AuditDescriptor, NewEvent, StoredEvent } from '#core/event-store/event.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { Outcome } from '#core/http/endpoint/extension-points.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Tx } from '#core/event-store/store.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { auditConsumers } from '../consumers.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { toAuditRow } from '../rows/audit-row.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import type { AuditTables } from '../contract/tables.ts'

/** One row of the log. */
export type Row = AuditTables['audit_log']

/** One page of the list. */
export interface Page {
  readonly items: readonly AuditEvent[]
  readonly nextCursor: string | null
}

/** Migrations of the log and of its dependencies. */
export const migrations = [
  storeMigrations,
  { name: 'cluster', migrations: clusterMigrations },
  { name: 'audit', migrations: new URL('../migrations/', import.meta.url) },
]
/** A trace id. */
export const trace = 'a'.repeat(32)
/** A `traceparent` of that trace. */
export const traceparent = `00-${trace}-${'b'.repeat(16)}-01`
/** An audited act of another plugin. */
export const shared: AuditDescriptor = { action: 'grant.create', resourceKind: 'RunShare' }
/** Audit descriptors of the test. */
export const descriptors = new Map<string, AuditDescriptor>([
  ...[objectCreated, objectUpdated, objectDeleted].flatMap(({ type, audit: how }): [string, AuditDescriptor][] =>
    how === undefined ? [] : [[type, how]],
  ),
  ['dev.mesh.sharing.created.v1', shared],
])

/** A change as an informer reports it. */
export function seen(
  action: 'create' | 'update' | 'delete',
  resourceVersion = '7',
  uid = 'u-1',
  more: object = {},
): NewEvent {
  const type = { create: objectCreated, update: objectUpdated, delete: objectDeleted }[action]
  return {
    type,
    id: `${uid}-${action}-${resourceVersion}`,
    subject: { namespace: 'demo', kind: 'AgentTemplate', name: 'one', uid },
    actor: { name: 'manager:kubectl', kind: 'controller' },
    data: {
      group: 'mesh.dev',
      kind: 'AgentTemplate',
      uid,
      resourceVersion,
      specHash: 'x',
      actorGuess: 'kubectl',
      ...more,
    },
  }
}

/** The same change as the BFF reports it. */
export function made(action: string, actor: string, object = { uid: 'u-1', resourceVersion: '7' }): NewEvent {
  return {
    type: requestOutcome,
    subject: { namespace: 'demo', kind: 'AgentTemplate', name: 'one' },
    actor: { name: actor, kind: 'user' },
    traceparent,
    data: { action, resourceKind: 'AgentTemplate', outcome: 'success', ...object },
  }
}

/** A denied act. */
export function denial(actor: string, more: Partial<Outcome> = {}): Outcome {
  const what = { action: 'create', resourceKind: 'AgentTemplate', namespace: 'demo', name: 'one' }
  return { actor, ...what, outcome: 'denied', code: 'forbidden', traceparent, ...more }
}

/** The compared columns of a row. */
export const columns = (row: Row) => ({
  actor: row.actor,
  actor_kind: row.actor_kind,
  actor_exact: row.actor_exact,
  action: row.action,
  resource_kind: row.resource_kind,
  resource_name: row.resource_name,
  namespace: row.namespace,
  source: row.source,
  outcome: row.outcome,
})

/** Row `n` as an informer reports it. */
export function rowOf(n: number, time: Date): AuditRow {
  const event = seen('update', String(n + 1), `uid-${n}`)
  const row = toAuditRow({ ...stored(event), time }, descriptors)
  if (row === undefined) throw new Error('no row')
  return { ...row, actor: 'user', actor_kind: 'user' }
}

/** An event as a consumer receives it. */
export function stored(event: NewEvent) {
  return { ...event, id: event.id ?? uuidV7(), type: event.type.type, time: event.time ?? new Date() }
}

/** Shuffles a list. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Inserts batches of 40, both newer than the rows of a walk and among them. Returns rows per second. */
export async function insertMeanwhile(
  write: (rows: readonly AuditRow[]) => Promise<void>,
  at: number,
): Promise<number> {
  const from = performance.now()
  let inserted = 0
  const some = (ms: number) => Array.from({ length: 20 }, (_, n) => rowOf(1000 + inserted++, new Date(at + n * ms)))
  for (let batch = 0; batch < 50; batch++) await write([...some(1_000), ...some(-1)])
  return Math.round((inserted * 1000) / (performance.now() - from))
}

/** A store with the audit log and its consumer running. */
export async function openRig(t: TestContext, { open }: (typeof adapters)[number]) {
  const database = await open(t, migrations)
  const store = createStore(database, { projections: [] })
  const bus = createMemoryBus()
  t.after(() => bus.close())
  const lines: string[] = []
  const core = {
    store,
    metrics: createMetrics(),
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    now: () => new Date(),
  }
  let handled = 0
  const consumers = auditConsumers(descriptors, 90).map((consumer) => ({
    ...consumer,
    handle: (events: readonly StoredEvent[], tx: Tx) => {
      handled += events.length
      return consumer.handle(events, tx)
    },
  }))
  const running = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
  t.after(() => running.stop())
  const append = (...events: readonly NewEvent[]) =>
    store.transact((tx) =>
      events.reduce((done, event) => done.then(() => tx.append('t', 'any', [event])), Promise.resolve()),
    )
  const rows = (): Promise<Row[]> =>
    store.reader<AuditTables>().selectFrom('audit_log').selectAll().orderBy('action').execute()
  return { database, store, core, lines, append, rows, settle: () => running.sweepNow(), handled: () => handled }
}

/** A rig of its own on each adapter. */
export function check(
  what: string,
  fn: (rig: Awaited<ReturnType<typeof openRig>>, t: TestContext) => Promise<void>,
): void {
  for (const adapter of adapters)
    test(`${adapter.name}: ${what}`, { skip: adapter.skip, timeout: 60_000 }, async (t) =>
      fn(await openRig(t, adapter), t),
    )
}
