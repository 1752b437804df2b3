import type { Store } from '#core/event-store/store.ts'
import { readJournalEnds } from '../store/reads.ts'
import type { RunsTables } from '../contract/tables.ts'

/** A stream that follows a run by live frames, which may be lost. */
export interface WatchedStream {
  /** Last sequence number of the journal that the stream has sent. */
  last(): number
  /** Called when the journal has more entries. */
  behind(): void
  /** Called when the run was removed with its journal. */
  gone(): void
}

/** Detects journal entries without a live frame, for all streams of a process. */
export interface RunWatch {
  /** Watches a run for a stream. Returns a function that stops it. */
  follow(runId: string, stream: WatchedStream): () => void
}

const POLL_MS = 1_000

/** Creates the watch of a process: one query per second while there are streams, independent of their number. */
export function createRunWatch(store: Store, pollMs = POLL_MS): RunWatch {
  const runs = new Map<string, Set<WatchedStream>>()
  let timer: NodeJS.Timeout | undefined
  const poll = async (): Promise<void> => {
    // A run that is followed during the query is not in its result, and was not removed.
    const asked = [...runs].map(([runId, streams]) => [runId, [...streams]] as const)
    const ids = asked.map(([runId]) => runId)
    // A failing store is retried.
    const ends = await readJournalEnds(store.reader<RunsTables>(), ids).catch(() => undefined)
    for (const [runId, streams] of ends === undefined ? [] : asked)
      for (const stream of streams) if (runs.get(runId)?.has(stream) === true) report(stream, ends?.get(runId))
    timer =
      runs.size === 0
        ? undefined
        : setTimeout(() => {
            // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
            void poll()
          }, pollMs)
  }
  return {
    follow(runId, stream) {
      const streams = runs.get(runId) ?? new Set()
      runs.set(runId, streams.add(stream))
      timer ??= setTimeout(() => {
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void poll()
      }, pollMs)
      return () => {
        streams.delete(stream)
        if (streams.size === 0 && runs.get(runId) === streams) runs.delete(runId)
      }
    },
  }
}

function report(stream: WatchedStream, end: number | undefined): void {
  if (end === undefined) stream.gone()
  else if (end > stream.last()) stream.behind()
}
