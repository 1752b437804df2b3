import { isTransient } from '#core/messaging/consumer/failed-attempts.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import type { Store } from '#core/event-store/store.ts'
import { auditLine, decodeEntry, encode } from './outcome-entry.ts'
import type { OutcomeEntry } from './outcome-entry.ts'
import { auditMetrics } from '../contract/metrics.ts'
import type { SpoolSegment } from '../spool/segment.ts'
import type { Spool } from '../spool/spool.ts'
import { insertIntents } from '../store/intents.ts'
import type { AuditTables } from '../contract/tables.ts'

const flushMs = 50
const flushSize = 500
// Beyond this, entries are kept in the spool only, or dropped, so that memory is bounded (A6).
const defaultMemorySize = 10_000
const retryMs = 1_000

/** Buffers entries for the store. */
export interface WriteBuffer {
  /** Adds an entry to spool and memory, to one of them, or drops it with a count and a log line (A1). Never waits. */
  add(entry: OutcomeEntry): void
  /** Whether the last attempt failed because the store was not available. */
  isStoreAway(): boolean
  /** Writes as much as possible. The rest stays in the spool for the next process; entries outside the spool are dropped. */
  close(): Promise<void>
}

/** Dependencies of a buffer. Without a spool, entries are lost with a killed process. */
export interface WriteBufferOptions extends Pick<Core, 'log' | 'metrics'> {
  readonly store: Store
  readonly spool: Spool | undefined
  /** Maximum number of entries in memory; default 10,000. */
  readonly memorySize?: number
}

interface Waiting {
  readonly entry: OutcomeEntry
  readonly segment: SpoolSegment | undefined
}

/** Writes entries in batches. An entry leaves memory and spool after its COMMIT only. */
export function createWriteBuffer({
  store,
  spool,
  log,
  metrics,
  memorySize = defaultMemorySize,
}: WriteBufferOptions): WriteBuffer {
  const dropped = metrics.counter(auditMetrics.droppedRows)
  const spooled = metrics.gauge(auditMetrics.spooledRows)
  const waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<boolean> | undefined
  let away = false

  const drop = (entries: readonly OutcomeEntry[]): void => {
    for (const entry of entries) {
      dropped.inc()
      log.error({ dropped: true }, auditLine(entry))
    }
  }
  const settle = (done: readonly Waiting[]): void => {
    for (const { segment } of done) if (segment !== undefined) spool?.settle(segment, 1)
    spooled.set(spool?.size() ?? 0)
  }
  // Entries that did not fit in memory, and entries of an earlier process.
  const readBack = (): boolean => {
    const next = spool?.next()
    if (next === undefined) return false
    for (const line of next.lines) {
      const entry = decodeEntry(line)
      if (entry !== undefined) waiting.push({ entry, segment: next.segment })
      else {
        dropped.inc()
        log.error({ dropped: true }, 'mesh_audit entry of the spool is not readable')
        spool?.settle(next.segment, 1)
      }
    }
    return true
  }
  // A failing disk must not end the process. Waiting entries are retried.
  const logSpoolFailure = (error: unknown): false => {
    log.error({ code: codeOf(error) }, 'the audit spool failed')
    return false
  }
  // Returns true when no entry is waiting.
  const writeAll = async (): Promise<boolean> => {
    let size = flushSize
    while (waiting.length > 0 || readBack()) {
      const batch = waiting.slice(0, size)
      try {
        await writeEntries(
          store,
          batch.map(({ entry }) => entry),
        )
        away = false
        settle(waiting.splice(0, batch.length))
      } catch (error) {
        log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'writing outcomes failed, retrying')
        if (isTransient(error)) {
          away = true
          // From now on only the spool preserves them across a crash of the machine.
          spool?.sync().catch(logSpoolFailure)
          return false
        }
        // An entry that the store rejects must not block the others.
        if (batch.length > 1) size = 1
        else {
          drop(batch.map(({ entry }) => entry))
          settle(waiting.splice(0, batch.length))
        }
      }
    }
    return true
  }
  const flush = (): Promise<boolean> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll()
      .catch(logSpoolFailure)
      .then((done) => {
        writing = undefined
        if (waiting.length > 0) schedule(done ? flushMs : retryMs)
        return done
      })
    return writing
  }
  const schedule = (ms: number): void => {
    timer ??= setTimeout(() => {
      // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
      void flush()
    }, ms)
  }
  if (spool !== undefined && spool.size() > 0) schedule(flushMs)

  return {
    isStoreAway: () => away,
    add(entry) {
      const held = waiting.length < memorySize
      const segment = spool?.write(encode(entry), held)
      if (held) {
        waiting.push({ entry, segment })
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        if (waiting.length === flushSize) void flush()
        else schedule(flushMs)
      } else if (segment === undefined) drop([entry])
    },
    async close() {
      await writing
      await flush()
      clearTimeout(timer)
      drop(waiting.splice(0).flatMap(({ entry, segment }) => (segment === undefined ? [entry] : [])))
      spool?.close()
    },
  }
}

// Intents first: an outcome of the same batch settles its own.
async function writeEntries(store: Store, entries: readonly OutcomeEntry[]): Promise<void> {
  const intents = entries.flatMap((entry) => ('intent' in entry ? [entry.intent] : []))
  const events = entries.flatMap((entry) => ('event' in entry ? [entry.event] : []))
  await store.transact(async (tx) => {
    await insertIntents(tx.tables<AuditTables>(), intents)
    await tx.append('audit/outcomes', 'any', events)
  })
}
