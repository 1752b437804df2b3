import type { Core } from '#core/plugin/core-services.ts'
import type { OutcomeSink } from '#core/http/endpoint/extension-points.ts'
import type { Store } from '#core/event-store/store.ts'
import { auditLine, toOutcomeEvent, toIntended } from './outcome-entry.ts'
import { createWriteBuffer } from './write-buffer.ts'
import type { WriteBuffer } from './write-buffer.ts'
import type { Spool } from '../spool/spool.ts'
import { insertIntents } from '../store/intents.ts'
import type { IntendedAct } from '../store/intents.ts'
import type { AuditTables } from '../contract/tables.ts'

/** Time limits of an intent at the store, then at the disk. */
export interface IntentLimits {
  readonly storeMs: number
  readonly diskMs: number
}

// Together 50 ms, the maximum delay of an act that has no other record (A2).
const intentLimits: IntentLimits = { storeMs: 40, diskMs: 10 }

/** Collects outcomes of requests. Only intents delay a request. */
export interface Outcomes extends OutcomeSink {
  /** Writes the remaining entries. Entries that cannot be written stay in the spool, or are dropped without one. */
  close(): Promise<void>
}

/** The sink of outcomes. Without a store each outcome is a log line only. */
export function createOutcomes(
  core: Pick<Core, 'store' | 'log' | 'metrics' | 'now'>,
  spool?: Spool,
  limits = intentLimits,
): Outcomes {
  const { store, log, metrics, now } = core
  if (store === undefined)
    return {
      record: (outcome) => log.info({}, auditLine({ event: toOutcomeEvent(outcome, now()) })),
      intend: async () => undefined,
      close: async () => undefined,
    }
  const buffer = createWriteBuffer({ store, spool, log, metrics })
  return {
    record: (outcome) => buffer.add({ event: toOutcomeEvent(outcome, now()) }),
    intend: (intent) => keepIntent({ store, buffer, spool, limits }, toIntended(intent, now())),
    close: () => buffer.close(),
  }
}

interface Keepers {
  readonly store: Store
  readonly buffer: WriteBuffer
  readonly spool: Spool | undefined
  readonly limits: IntentLimits
}

// Store within its time limit, else spool. A late insert is harmless, since the id is the same.
async function keepIntent({ store, buffer, spool, limits }: Keepers, intent: IntendedAct): Promise<void> {
  if (!buffer.isStoreAway()) {
    const inserted = store.transact((tx) => insertIntents(tx.tables<AuditTables>(), [intent]))
    if (await isDoneWithin(inserted, limits.storeMs)) return
  }
  buffer.add({ intent })
  if (spool !== undefined) await isDoneWithin(spool.sync(), limits.diskMs)
}

async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(() => late.resolve(false), ms)
  const done = work.then(
    () => true,
    () => false,
  )
  return Promise.race([done, late.promise]).finally(() => clearTimeout(timer))
}
