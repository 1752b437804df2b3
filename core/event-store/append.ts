import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { NewEvent } from './event.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import { txWithTables } from '#core/database/database.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import { withCommit } from '#core/database/session/store-connection.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { toPlacedEvent, toEventRow } from './event-row.ts'
import type { PlacedEvent } from './event-row.ts'
import type { Projections } from './projections.ts'
import type { NamespaceUids, StreamEvent, Tx } from './store.ts'
import { advanceAny, advanceFrom, advanceStreams, currentRange } from './streams.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'

type Db = Transaction<CoreTables>

interface Identified extends StreamEvent {
  readonly event: NewEvent & { readonly id: string }
}

/** SQLSTATE of `append_to_log` for a process whose projections have another version than the database. */
const OTHER_VERSION = 'MS001'

/** Key of the advisory lock under which positions are assigned. */
export const appendLock = 7_305_001

/** Events of one transaction: versioned and projected immediately, inserted together with COMMIT. */
export interface Appender extends Pick<Tx, 'append' | 'appendEach'> {
  /** Inserts the collected events and commits. Returns undefined if there are no events. */
  commit(): Promise<CommittedEvents | undefined>
}

/** Events of one commit, in order. `before` is the newest position assigned before the first event, `last` the position of the last one. */
export interface CommittedEvents {
  readonly events: readonly PlacedEvent[]
  readonly before: bigint
  readonly last: bigint
  /** Seconds spent waiting for the append lock. */
  readonly waited: number
}

/** Dependencies of an appender. `check` throws for data that does not match its schema. */
export interface AppendParts {
  readonly projections: Projections
  readonly check: (event: NewEvent) => void
  readonly namespaceUids: NamespaceUids | undefined
}

/** Creates the appender of one transaction. */
export function createAppender(
  root: Transaction<unknown>,
  { projections, check, namespaceUids }: AppendParts,
): Appender {
  const db = txWithTables<CoreTables>(root)
  const placed: PlacedEvent[] = []
  const fed = new Map<string, number>()
  const place = async (entries: readonly Identified[], last: ReadonlyMap<string, number>): Promise<void> => {
    const behind = countByStream(entries)
    const fresh = entries.map(({ stream, event }) => {
      const left = (behind.get(stream) ?? 0) - 1
      behind.set(stream, left)
      return toPlacedEvent(stream, (last.get(stream) ?? 0) - left, event)
    })
    placed.push(...fresh)
    await projections.apply(fresh, root)
    for (const { type } of fresh) for (const { name, version } of projections.fedBy(type)) fed.set(name, version)
  }
  const freshOf = async (entries: readonly StreamEvent[]): Promise<Identified[]> => {
    for (const { event } of entries) check(event)
    const fresh = await withoutKnown(db, entries)
    return withTrace(namespaceUids === undefined ? fresh : await withUids(root, namespaceUids, fresh))
  }
  return {
    append: async (stream, expected, events) => {
      const fresh = await freshOf(events.map((event) => ({ stream, event })))
      if (fresh.length === 0) return
      const { length } = fresh
      const version =
        expected === 'any' ? await advanceAny(db, stream, length) : await advanceFrom(db, stream, expected, length)
      await place(fresh, new Map([[stream, version]]))
    },
    appendEach: async (entries) => {
      const fresh = await freshOf(entries)
      if (fresh.length > 0) await place(fresh, await advanceStreams(db, countByStream(fresh)))
    },
    commit: async () => {
      if (placed.length === 0) return undefined
      return insertAndCommit(db, placed, fed)
    },
  }
}

function countByStream(entries: readonly StreamEvent[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { stream } of entries) counts.set(stream, (counts.get(stream) ?? 0) + 1)
  return counts
}

// Only events with a namespace but without its uid cost a query.
async function withUids(root: Transaction<unknown>, find: NamespaceUids, entries: Identified[]): Promise<Identified[]> {
  const unknown = entries.flatMap((one) => {
    const { namespace, namespaceUid } = one.event.subject
    return namespace === undefined || namespaceUid !== undefined ? [] : [{ one, stream: one.stream, namespace }]
  })
  if (unknown.length === 0) return entries
  const found = await find(root, unknown)
  const uids = new Map(unknown.map(({ one }, index) => [one, found[index]]))
  return entries.map((one) => {
    const namespaceUid = uids.get(one)
    if (namespaceUid === undefined) return one
    return { ...one, event: { ...one.event, subject: { ...one.event.subject, namespaceUid } } }
  })
}

// Events carry the trace in progress: that of a request, or that of the event whose handling caused them.
function withTrace(entries: Identified[]): Identified[] {
  const trace = currentTrace()
  if (trace === undefined) return entries
  const traceparent = formatTraceparent(trace)
  return entries.map((one) =>
    one.event.traceparent === undefined ? { ...one, event: { ...one.event, traceparent } } : one,
  )
}

// Events with a given id are appended once, however often they arrive (A4). The key's row makes a concurrent duplicate wait.
async function withoutKnown(db: Db, entries: readonly StreamEvent[]): Promise<Identified[]> {
  const given = [...new Set(entries.flatMap(({ event }) => (event.id === undefined ? [] : [event.id])))].toSorted()
  const fresh = new Set(given.length === 0 ? [] : await claimKeys(db, given))
  return entries.flatMap(({ stream, event }) => {
    if (event.id === undefined) return [{ stream, event: { ...event, id: uuidV7() } }]
    return fresh.delete(event.id) ? [{ stream, event: { ...event, id: event.id } }] : []
  })
}

async function claimKeys(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .insertInto('event_keys')
    .values(ids.map((event_id) => ({ event_id, position: currentRange })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .execute()
  return rows.map((row) => row.event_id)
}

type Insert = { rows: string; versions: string | null }

const appendToLog = defineStatement((db: Kysely<CoreTables>, p: Placeholders<Insert>) =>
  db
    .selectFrom(
      sql<Assigned>`append_to_log(${sql.lit(appendLock)}, ${p.rows}, ${p.versions})`.as<'appended'>(sql`appended`),
    )
    .selectAll(),
)

interface Assigned {
  readonly waited: number
  readonly before: bigint
  readonly last: bigint
}

/**
 * One statement takes the lock and then the positions, so that position is commit order (O2). COMMIT is in the same message, so that no
 * writer waits for the lock while this process is slow, frozen or far away.
 */
async function insertAndCommit(
  db: Db,
  events: readonly PlacedEvent[],
  fed: ReadonlyMap<string, number>,
): Promise<CommittedEvents> {
  const rows = JSON.stringify(events.map(toEventRow))
  const versions = fed.size === 0 ? null : JSON.stringify(Object.fromEntries(fed))
  const query = withCommit(appendToLog.compile({ rows, versions }))
  const answer = await db.executeQuery<Assigned>(query).catch((error: unknown) => {
    throw codeOf(error) === OTHER_VERSION ? otherVersion(error) : error
  })
  const [assigned] = answer.rows
  if (assigned === undefined) throw new TypeError('positions were expected')
  return { ...assigned, events }
}

// Transient for a client and for a consumer: a process of the right version accepts the same request.
function otherVersion(cause: unknown): Fail {
  return new Fail('store_unavailable', 'A projection of this process has a different version than the database.', {
    cause,
  })
}
