import { setTimeout as sleep } from 'node:timers/promises'
import { exponentialMs } from '#core/async/backoff.ts'
import type { NewEvent } from './event.ts'
import { insideTransaction } from '#core/async/transaction-guard.ts'
import { inSpan } from '#core/telemetry/trace-context.ts'
import { createAppender } from './append.ts'
import type { CommittedEvents } from './append.ts'
import { txWithTables } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import type { StoreMeter } from './metrics.ts'
import type { Projections } from './projections.ts'
import { recentEventsOf } from './recent-events.ts'
import type { NamespaceUids, Tx } from './store.ts'
import { toStreamConflict } from './streams.ts'
import { isRetryable } from '#core/database/session/database-errors.ts'

/** Dependencies of `transact`. */
export interface TransactOptions {
  readonly database: Database
  readonly projections: Projections
  readonly check: (event: NewEvent) => void
  readonly meter: StoreMeter
  readonly namespaceUids?: NamespaceUids | undefined
  /** Called when work after COMMIT fails; the commit remains. */
  readonly onLateFailure: (error: unknown) => void
}

interface Attempt<Result> {
  readonly result: Result
  readonly committed: CommittedEvents | undefined
  readonly late: readonly (() => void | Promise<void>)[]
}

const retries = 3
// Multiplied by a random number below 1: transactions that collided retry apart.
const retryDelay = { minMs: 20, maxMs: 10_000 }

/**
 * Runs `fn` in one transaction: writes, stream rows and projections first; then lock, inserts of events and COMMIT in one exchange. After a
 * deadlock or a serialization failure (40P01, 40001) the whole function is retried, three times.
 */
export async function transact<Result>(options: TransactOptions, fn: (tx: Tx) => Promise<Result>): Promise<Result> {
  const { result, committed, late } = await measured(options.meter, () =>
    retried(options.meter, () => attempt(options, fn)),
  )
  if (committed !== undefined) {
    recentEventsOf(options.database).addCommitted(committed)
    options.database.announce('appended')
  }
  for (const work of late) await runLate(work, options.onLateFailure)
  return result
}

async function attempt<Result>(
  { database, projections, check, meter, namespaceUids }: TransactOptions,
  fn: (tx: Tx) => Promise<Result>,
): Promise<Attempt<Result>> {
  const run = database.transaction((db) =>
    insideTransaction(async () => {
      const late: (() => void | Promise<void>)[] = []
      const appender = createAppender(db, { projections, check, namespaceUids })
      const result = await fn({
        tables: <Tables>() => txWithTables<Tables>(db),
        append: appender.append,
        appendEach: appender.appendEach,
        afterCommit: (work) => {
          void late.push(work)
        },
      })
      const committed = await appender.commit()
      if (committed !== undefined) meter.waitedForLock(committed.waited)
      return { result, committed, late }
    }),
  )
  return run.catch((error: unknown) => {
    throw toStreamConflict(error)
  })
}

// Named by operation, never by SQL.
function measured<T>(meter: StoreMeter, run: () => Promise<T>): Promise<T> {
  return inSpan({ name: 'transact', kind: 'client' }, async (note) => {
    note({ 'db.system.name': 'postgresql' })
    const started = performance.now()
    let outcome: 'committed' | 'failed' = 'failed'
    try {
      const result = await run()
      outcome = 'committed'
      return result
    } finally {
      meter.ended(outcome, (performance.now() - started) / 1000)
    }
  })
}

async function retried<T>(meter: StoreMeter, run: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await run()
    } catch (error) {
      if (tried === retries || !isRetryable(error)) throw error
      meter.retried()
      await sleep(Math.random() * exponentialMs(tried, retryDelay))
    }
  }
}

async function runLate(work: () => void | Promise<void>, onLateFailure: (error: unknown) => void): Promise<void> {
  try {
    await work()
  } catch (error) {
    onLateFailure(error)
  }
}
