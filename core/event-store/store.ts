import type { Kysely, Transaction } from 'kysely'
import type { EventType, NewEvent, StoredEvent } from './event.ts'

/** Expected version of a stream: a number (0 for a new one), or 'any'. A mismatch rejects the transaction with `StreamConflict` (O4). */
export type ExpectedVersion = number | 'any'

/** An event and its stream. */
export interface StreamEvent {
  readonly stream: string
  readonly event: NewEvent
}

/** Operations of a transaction. The root handle, the cluster client, the bus and `fetch` throw inside. */
export interface Tx {
  /** The transaction, typed by the tables of the caller. Plugins with different tables share one transaction. */
  tables<Tables>(): Transaction<Tables>
  /** Collects events. They are inserted last before COMMIT, in position order; projections run at once. */
  append(stream: string, expected: ExpectedVersion, events: readonly NewEvent[]): Promise<void>
  /** Appends events of many streams in the given order, each at any version, in three statements. */
  appendEach(events: readonly StreamEvent[]): Promise<void>
  /** Runs once after COMMIT (signals, live frames); a crash may lose it. */
  afterCommit(work: () => void | Promise<void>): void
}

/** A handle that only reads. The compiler knows no `insertInto` on it, and the database refuses a write in its `sql`. */
export type Reader<Tables> = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'fn' | 'getExecutor'>

/** The relational store of the control plane. */
export interface Store {
  /** Returns a handle that only reads, enforced by its type and by the database. A plugin types it by `store.reader<Tables>()`. */
  reader<Tables>(): Reader<Tables>
  /** Runs one transaction, the only way to write. 40P01 and 40001 are retried three times. */
  transact<Result>(fn: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Reads events of one stream after a version. */
  readStream(stream: string, after?: number): Promise<readonly StoredEvent[]>
  /** Returns a subscription to commits that append events. */
  appends(): Appends
  /** Newest position ever assigned; retention may have removed its event. */
  newestPosition(): Promise<bigint>
  /** Epoch of the log: the first half of a CloudEvents `sequence`, incremented by a restore. */
  epoch(): Promise<number>
  /** Throws if the database does not respond. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Notifications of commits that appended events, by any process. Notifications may be lost, so readers also poll. */
export interface Appends {
  /** Resolves at the next notification, after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/** Looks up uids of namespaces for events that name only the namespace; undefined if unknown. */
export type NamespaceUids = (
  db: Transaction<unknown>,
  entries: readonly { readonly stream: string; readonly namespace: string }[],
) => Promise<readonly (string | undefined)[]>

/** A read model fed inside `append`: pure, rebuilt by replay. Only `apply` writes its tables. */
export interface Projection<Tables = unknown> {
  readonly name: string
  readonly version: number
  readonly tables: readonly string[]
  readonly types: readonly EventType[]
  apply(event: Omit<StoredEvent, 'position'>, tx: Transaction<Tables>): Promise<void>
  /** Like `apply` for each event of one append, in order, but with fewer statements. */
  applyAll?(events: readonly Omit<StoredEvent, 'position'>[], tx: Transaction<Tables>): Promise<void>
}
