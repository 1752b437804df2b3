import type { Entry } from '../journal.ts'
import type { LauncherEntry } from '#schemas/run.ts'

/** What the follower hands on, in the launcher's order: a batch for the journal, or a delta for whoever watches. */
export interface EntrySink {
  commit(entries: readonly NumberedEntry[]): Promise<void>
  delta(entry: LauncherEntry): void
}

/** Entries on their way into the journal. */
export interface Intake {
  push(entry: LauncherEntry): void
  /** The highest number taken so far. */
  seen(): number
  /** Resolves when everything taken so far is committed. */
  drained(): Promise<void>
}

/** An entry for the journal with the launcher's own number. */
export type NumberedEntry = LauncherEntry & { readonly n: number }

/**
 * Takes entries as they arrive and commits them in batches: while one commit is under way the next batch gathers.
 * Deltas keep their place among the entries, so nobody sees the text of a message before its start.
 */
export function createIntake(sink: EntrySink, after: number, onError: (error: unknown) => void): Intake {
  const waiting: LauncherEntry[] = []
  let seen = after
  let working: Promise<void> | undefined

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = takeNumbered(waiting)
      if (batch.length > 0) await sink.commit(batch)
      while (waiting[0] && waiting[0].n === undefined) sink.delta(waiting.shift() as LauncherEntry)
    }
    working = undefined
  }

  return {
    push(entry) {
      // After a reconnect the launcher repeats what we have not acknowledged; what is committed is skipped by number.
      if (entry.n !== undefined) {
        if (entry.n <= seen) return
        seen = entry.n
      }
      waiting.push(entry)
      // A turn later: deltas alone need no await, and the end of the work must not come before it is noted here.
      working ??= Promise.resolve()
        .then(work)
        .catch((error: unknown) => {
          working = undefined
          waiting.length = 0
          onError(error)
        })
    },
    seen: () => seen,
    async drained() {
      for (let current = working; current; current = working) await current
    },
  }
}

function takeNumbered(waiting: LauncherEntry[]): NumberedEntry[] {
  const batch: NumberedEntry[] = []
  while (waiting[0]?.n !== undefined && batch.length < 200) batch.push(waiting.shift() as NumberedEntry)
  return batch
}

/** The journal entry of a launcher's entry. */
export function toJournalEntry(entry: LauncherEntry): Entry {
  return { ts: new Date(entry.ts), kind: entry.kind, path: entry.path, spanId: entry.spanId, data: entry.data }
}
