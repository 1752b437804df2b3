import type { LauncherEntry } from '#schemas/run.ts'
import type { JournalEntry } from '../lifecycle/journal.ts'

/** Receives entries in the launcher's order: batches for the journal, deltas for the streams of clients. */
export interface EntrySink {
  commit(entries: readonly NumberedEntry[]): Promise<void>
  delta(entry: LauncherEntry): void
}

/** Batches entries for the journal. */
export interface EntryBatcher {
  /** Queues an entry of `bytes` bytes. If it returns a promise, the caller must not push until it resolves (F6). */
  push(entry: LauncherEntry, bytes: number): Promise<void> | undefined
  /** Highest number that was pushed. */
  seen(): number
  /** Resolves when every pushed entry is committed. */
  drained(): Promise<void>
}

/** An entry for the journal with the launcher's own number. */
export type NumberedEntry = LauncherEntry & { readonly n: number }

/** Options of a batcher. */
export interface EntryBatcherOptions {
  /** Number of the last committed entry. */
  readonly after: number
  readonly onError: (error: unknown) => void
  /** Called for each new entry before it is queued. Its errors are thrown by `push`. */
  readonly count?: (entry: LauncherEntry, bytes: number) => void
  /** Queued bytes above which `push` returns a promise. */
  readonly maxWaiting?: number
}

interface Waiting {
  readonly entry: LauncherEntry
  readonly bytes: number
}

const maxBatch = 200
const maxBatchBytes = 256 * 1024
const maxWaitingBytes = 1024 * 1024

/**
 * Creates a batcher with one commit at a time; entries that arrive meanwhile form the next batch. Deltas keep their order among the
 * entries, so that no client receives the text of a message before its start.
 */
export function createEntryBatcher(sink: EntrySink, options: EntryBatcherOptions): EntryBatcher {
  const { onError, count, maxWaiting = maxWaitingBytes } = options
  let queue: Waiting[] = []
  let waitingBytes = 0
  let seen = options.after
  let working: Promise<void> | undefined
  let room: PromiseWithResolvers<void> | undefined

  const taken = (entries: readonly Waiting[]): void => {
    waitingBytes -= entries.reduce((sum, { bytes }) => sum + bytes, 0)
    if (waitingBytes > maxWaiting) return
    room?.resolve()
    room = undefined
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      const batch = numberedPrefix(queue)
      if (batch.length > 0) await sink.commit(batch.map(({ entry }) => entry))
      const deltas = unnumberedPrefix(queue, batch.length)
      for (const { entry } of deltas) sink.delta(entry)
      queue = queue.slice(batch.length + deltas.length)
      taken([...batch, ...deltas])
    }
    working = undefined
  }

  const fail = (error: unknown): void => {
    working = undefined
    const dropped = queue
    queue = []
    taken(dropped)
    onError(error)
  }

  return {
    push(entry, bytes) {
      // After a reconnect the launcher repeats entries; numbers that were pushed before are skipped.
      if (entry.n !== undefined && entry.n <= seen) return undefined
      count?.(entry, bytes)
      if (entry.n !== undefined) seen = entry.n
      queue.push({ entry, bytes })
      waitingBytes += bytes
      // In a later microtask: deltas need no await, and `work` must not clear `working` before it is set here.
      working ??= Promise.resolve().then(work).catch(fail)
      if (waitingBytes <= maxWaiting) return undefined
      room ??= Promise.withResolvers<void>()
      return room.promise
    },
    seen: () => seen,
    async drained() {
      for (let current = working; current; current = working) await current
    },
  }
}

// At most 200 entries, and none after 256 KiB: a batch is in memory several times, as JSON, parameters and frames.
function numberedPrefix(queue: readonly Waiting[]): readonly (Waiting & { readonly entry: NumberedEntry })[] {
  const batch: (Waiting & { readonly entry: NumberedEntry })[] = []
  let size = 0
  for (const { entry, bytes } of queue) {
    if (entry.n === undefined || batch.length === maxBatch || size > maxBatchBytes) break
    batch.push({ entry: { ...entry, n: entry.n }, bytes })
    size += bytes
  }
  return batch
}

function unnumberedPrefix(queue: readonly Waiting[], from: number): readonly Waiting[] {
  const end = queue.findIndex(({ entry }, index) => index >= from && entry.n !== undefined)
  return queue.slice(from, end === -1 ? undefined : end)
}

/** The journal entry of a launcher's entry. */
export function toJournalEntry(entry: LauncherEntry): JournalEntry {
  return { ts: new Date(entry.ts), kind: entry.kind, path: entry.path, spanId: entry.spanId, data: entry.data }
}
