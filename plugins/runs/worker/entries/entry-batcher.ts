import type { LauncherEntry } from '#schemas/runs/run.ts'
import type { JournalEntry } from '../../lifecycle/journal-entry.ts'

/** Receives entries in the launcher's order: batches for the journal, deltas for the streams of clients. */
export interface EntrySink {
  /** Commits the numbered entries. Deltas among them are sent after the commit, in their order. */
  commit(entries: readonly LauncherEntry[]): Promise<void>
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
  /** Whether no entry follows, so that the batch is committed immediately. */
  readonly isLast?: (entry: LauncherEntry) => boolean
  /** How long entries are gathered before a commit. Default: no gathering. */
  readonly gather?: GatherTimes
}

/** Milliseconds from the first entry of a batch on, and from the first delta that waits behind one. */
export interface GatherTimes {
  readonly entriesMs: number
  readonly deltaMs: number
}

interface Waiting {
  readonly entry: LauncherEntry
  readonly bytes: number
}

const maxBatch = 200
const maxBatchBytes = 256 * 1024
const maxWaitingBytes = 1024 * 1024

/**
 * Creates a batcher with one commit at a time; entries that arrive meanwhile, or are gathered before it, form a batch. Deltas keep their
 * order among the entries, so that no client receives the text of a message before its start.
 */
export function createEntryBatcher(sink: EntrySink, options: EntryBatcherOptions): EntryBatcher {
  const { onError, count, maxWaiting = maxWaitingBytes, isLast = () => false, gather } = options
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

  const gathering = gather && createGathering(gather)
  const isUrgent = (): boolean => waitingBytes > maxBatchBytes || queue.some(({ entry }) => isLast(entry))
  async function work(): Promise<void> {
    while (queue.length > 0) {
      const deltas = unnumberedPrefix(queue)
      for (const { entry } of deltas) sink.delta(entry)
      queue = queue.slice(deltas.length)
      taken(deltas)
      if (queue.length === 0) break
      if (!isUrgent()) await gathering?.wait(queue.some(({ entry }) => entry.n === undefined))
      const batch = batchOf(queue)
      await sink.commit(batch.map(({ entry }) => entry))
      queue = queue.slice(batch.length)
      taken(batch)
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
      if (entry.n === undefined) gathering?.delta()
      if (isLast(entry) || waitingBytes > maxBatchBytes) gathering?.end()
      // In a later microtask: deltas need no await, and `work` must not clear `working` before it is set here.
      working ??= Promise.resolve().then(work).catch(fail)
      if (waitingBytes <= maxWaiting) return undefined
      room ??= Promise.withResolvers<void>()
      return room.promise
    },
    seen: () => seen,
    async drained() {
      gathering?.end()
      for (let current = working; current; current = working) await current
    },
  }
}

/** A pause before a commit, which ends early when a delta or the last entry arrives. */
interface Gathering {
  wait(hasDelta: boolean): Promise<void>
  delta(): void
  end(): void
}

function createGathering({ entriesMs, deltaMs }: GatherTimes): Gathering {
  let timer: NodeJS.Timeout | undefined
  let done: (() => void) | undefined
  let isShort = false
  const end = (): void => {
    clearTimeout(timer)
    done?.()
    done = undefined
  }
  return {
    end,
    wait: async (hasDelta) => {
      isShort = hasDelta
      const { promise, resolve } = Promise.withResolvers<void>()
      done = resolve
      timer = setTimeout(end, hasDelta ? deltaMs : entriesMs)
      await promise
    },
    delta() {
      if (done === undefined || isShort) return
      isShort = true
      clearTimeout(timer)
      timer = setTimeout(end, deltaMs)
    },
  }
}

// At most 200 entries, and none after 256 KiB: a batch is in memory several times, as JSON, parameters and frames.
function batchOf(queue: readonly Waiting[]): readonly Waiting[] {
  let size = 0
  const end = queue.findIndex(({ bytes }, index) => index === maxBatch || (size += bytes) - bytes > maxBatchBytes)
  return queue.slice(0, end === -1 ? undefined : end)
}

function unnumberedPrefix(queue: readonly Waiting[]): readonly Waiting[] {
  const end = queue.findIndex(({ entry }) => entry.n !== undefined)
  return queue.slice(0, end === -1 ? undefined : end)
}

/** The journal entry of a launcher's entry. */
export function toJournalEntry(entry: LauncherEntry): JournalEntry {
  return { ts: new Date(entry.ts), kind: entry.kind, path: entry.path, spanId: entry.spanId, data: entry.data }
}
