import type { LauncherEntry } from '#schemas/runs/run.ts'
import { dropPartials, savePartials } from '../../store/partials.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import type { WorkerServices } from './worker-services.ts'

const partialEveryMs = 250
const maxTextLength = 1024 * 1024
/** The id is part of a primary key, and PostgreSQL refuses index rows above 2,704 bytes. */
const maxIdLength = 512

/** Partial texts of the unfinished messages of a run. */
export interface Partials {
  add(entry: LauncherEntry): void
  finished(entries: readonly LauncherEntry[]): void
  /** Resolves when all writes have ended. */
  close(): Promise<void>
}

/**
 * Collects the text of unfinished messages and stores it every 250 ms, for clients that connect in the middle of a message. Writes are sequential;
 * changes accumulate while the store is slow. Text above 1 MiB is dropped, since the journal gets the whole message. If a run was taken over, the
 * previous worker may have stored the text of any message.
 */
export function createPartials(
  services: Pick<WorkerServices, 'store'>,
  run: SelectedRun,
  isTakenOver: boolean,
): Partials {
  const texts = new Map<string, string>()
  const changed = new Set<string>()
  const stored = new Set<string>()
  let flushing: Promise<void> = Promise.resolve()
  let busy = false
  const flush = (): void => {
    if (changed.size === 0 || busy) return
    const rows = [...changed].map((id) => ({ run_id: run.id, message_id: id, text: texts.get(id) ?? '' }))
    for (const id of changed) stored.add(id)
    changed.clear()
    busy = true
    // After a lost write, a client that connects late misses some text until the next write.
    flushing = flushing
      .then(() => services.store.transact((tx) => savePartials(tx.tables<RunsTables>(), rows)))
      .catch(() => undefined)
      .finally(() => (busy = false))
  }
  const timer = setInterval(flush, partialEveryMs)
  return {
    add(entry: LauncherEntry): void {
      if (entry.kind !== 'message.delta') return
      const { messageId, text } = entry.data
      if (typeof messageId !== 'string' || messageId.length > maxIdLength || typeof text !== 'string') return
      const soFar = texts.get(messageId) ?? ''
      if (soFar.length + text.length > maxTextLength) return
      texts.set(messageId, soFar + text)
      changed.add(messageId)
    },
    finished(entries: readonly LauncherEntry[]): void {
      for (const { kind, data } of entries) {
        const id = data['messageId']
        if (kind !== 'message.finished' || typeof id !== 'string' || !texts.delete(id)) continue
        changed.delete(id)
        if (!stored.delete(id) && !isTakenOver) continue
        flushing = flushing
          .then(() => services.store.transact((tx) => dropPartials(tx.tables<RunsTables>(), run.id, id)))
          .catch(() => undefined)
      }
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await flushing
    },
  }
}
