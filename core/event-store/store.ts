import type { Kysely, Transaction } from 'kysely'
import type { EventType, NewEvent, StoredEvent } from './event.ts'

/** The expected version of a stream: a number (0 is new), or 'any'. A mismatch throws `StreamConflict` (O4). */
export type ExpectedVersion = number | 'any'

/** An event and the stream that it belongs to. */
export interface StreamEvent {
  readonly stream: string
  readonly event: NewEvent
}

/** What a transaction may do. The root handle, the cluster client, the bus and `fetch` throw inside. */
export interface Tx<Tables = unknown> {
  readonly db: Transaction<Tables>
  /** Collects events; they are inserted last before COMMIT, in position order. Projections run at once. */
  append(stream: string, expected: ExpectedVersion, events: readonly NewEvent[]): Promise<void>
  /** Events of many streams in the order given, each stream at any version: three statements, however many they are. */
  appendEach(events: readonly StreamEvent[]): Promise<void>
  /** Runs once after COMMIT (wake-ups, live frames); a crash may lose it. */
  afterCommit(work: () => void | Promise<void>): void
}

/** The relational store of the control plane. */
export interface Store {
  /** Reads only; typed per plugin by `store.reader<Tables>()`. */
  reader<Tables>(): Kysely<Tables>
  /** The only way to write: one transaction; 40P01 and 40001 are retried three times. */
  transact<Tables, Result>(fn: (tx: Tx<Tables>) => Promise<Result>): Promise<Result>
  /** Events of one stream after a version. */
  readStream(stream: string, after?: number): Promise<readonly StoredEvent[]>
  /** Follows commits that append events. */
  appends(): Appends
  /** The newest position that was given to an event; retention may have removed the event. */
  newestPosition(): Promise<bigint>
  /** The epoch of the log: the first half of a CloudEvents `sequence`, raised by a restore. */
  epoch(): Promise<number>
  /** Throws when the database does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Notifications of commits that appended events, by any process. One may be lost, so readers also poll. */
export interface Appends {
  /** Resolves at the next notification, after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/** Finds the uids of namespaces for events that name only the namespace; undefined where it is not known. */
export type NamespaceUids = (
  db: Transaction<unknown>,
  entries: readonly { readonly stream: string; readonly namespace: string }[],
) => Promise<readonly (string | undefined)[]>

/** A read model fed inside `append`: pure, rebuilt by replay; only `apply` writes its tables. */
export interface Projection<Tables = unknown> {
  readonly name: string
  readonly version: number
  readonly tables: readonly string[]
  readonly types: readonly EventType[]
  apply(event: Omit<StoredEvent, 'position'>, tx: Transaction<Tables>): Promise<void>
}
