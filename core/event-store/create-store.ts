import { sql } from 'kysely'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { withTables } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { createEventCheck } from './validate-event.ts'
import { LateProjection, applyWithin, createProjections } from './projections.ts'
import type { Projections } from './projections.ts'
import { newestPosition, readEpoch, readStream } from './read-events.ts'
import { createStoreMeter } from './metrics.ts'
import type { EventType } from './event.ts'
import type { NamespaceUids, Projection, Store } from './store.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import { transact } from './transact.ts'

/** Options of a store: its projections, whether events are validated, and the handler of failures after commit. */
export interface StoreOptions {
  /** A function if they are known later than the store; called once, at the first write. */
  readonly projections: readonly Projection[] | (() => readonly Projection[])
  readonly validate?: boolean
  /** Types that may be appended; default: any. */
  readonly eventTypes?: readonly EventType[]
  /** Completes the subjects of events; without it they are stored as given. */
  readonly namespaceUids?: NamespaceUids
  readonly log?: Logger
  readonly metrics?: Metrics
  /** Maximum seconds of a projection for the events of one append. */
  readonly applySeconds?: number
}

/** Creates the store of the plugins. Closing it closes the database. */
export function createStore(database: Database, options: StoreOptions): Store {
  const { projections: given } = options
  const bound = applyWithin(options.applySeconds)
  // A list is checked immediately: two projections of one table must fail at startup, not at the first write.
  let projections = typeof given === 'function' ? undefined : createProjections(given, bound)
  const known = (): Projections =>
    (projections ??= createProjections(typeof given === 'function' ? given() : given, bound))
  const check = options.validate === false ? (): void => undefined : createEventCheck(options.eventTypes)
  const meter = createStoreMeter(options.metrics)
  const onLateFailure = (error: unknown): void =>
    options.log?.warn({ error: nameOf(error) }, 'work after a commit failed')
  return {
    reader: <Tables>() => withTables<Tables>(database.reader),
    transact: async (fn) =>
      transact(
        { database, projections: known(), check, meter, onLateFailure, namespaceUids: options.namespaceUids },
        fn,
      ).catch((error: unknown) => {
        throw error instanceof LateProjection ? toLate(error, options.log) : error
      }),
    readStream: (stream, after) => readStream(database.db, stream, after),
    appends: () => {
      const appended = database.appended.subscribe()
      const listening = database.listen('appended')
      return { wait: (timeoutMs, signal) => appended.wait(timeoutMs, signal), stop: () => listening.stop() }
    },
    newestPosition: () => newestPosition(database.db),
    epoch: () => readEpoch(database.db),
    check: async () => {
      await sql`select 1`.execute(database.db)
    },
    close: () => database.close(),
  }
}

// Transient: the fault may be that of a look-up, and nothing was written.
function toLate(error: LateProjection, log: Logger | undefined): Fail {
  log?.error({ err: error.message }, 'an append was rolled back')
  return new Fail('store_unavailable', 'A projection did not end in time.', { cause: error })
}

function nameOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : 'unknown')
}
