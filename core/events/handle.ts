import type { Transaction } from 'kysely'
import type { Database } from '#core/store/database.ts'
import type { Store } from '#core/store/store.ts'
import { txWithTables } from '#core/store/tables-view.ts'
import type { CoreTables } from '#core/store/tables.ts'
import type { Consumer } from './consumer.ts'
import type { StoredEvent } from './event.ts'

/** What handling needs beside the consumer. */
export interface HandlingOptions {
  readonly store: Store
  readonly database: Database
  /** Failed attempts after which an event goes to the dead-letter table. */
  readonly maxAttempts: number
  /** Told when an event is given up. */
  readonly onDead: (consumer: string) => void
}

/** Runs a consumer's handler inside the transaction that its effect commits in. */
export type RunHandler = (events: readonly StoredEvent[]) => Promise<void>

/** One transaction around a piece of handling; `work` gets the handle of core's tables and the consumer's handler bound to it. */
export function inHandlerTransaction<Result>(
  options: HandlingOptions,
  consumer: Consumer,
  work: (db: Transaction<CoreTables>, run: RunHandler) => Promise<Result>,
): Promise<Result> {
  return options.store.transact<unknown, Result>((tx) =>
    work(txWithTables<CoreTables>(tx.db), (events) => consumer.handle(events, tx)),
  )
}
