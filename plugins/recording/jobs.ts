import type { Job } from '#core/jobs/background-work.ts'
import { prefixOfRun } from '#plugins/recording/contract/format/part-key.ts'
import { MAX_PAGE } from '#core/objects/object-store.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { RecordingServices } from './services.ts'
import { forgetRecording, readDue } from './store/sizes.ts'
import type { RecordingTables } from './contract/tables.ts'

const EVERY_MS = 60_000
const AT_ONCE = 50

/** Erases recordings that have expired or whose run was removed: in the state role, the only role with access to their store. */
export function recordingJobs(services: RecordingServices, context: JobContext): readonly Job[] {
  if (context.role !== 'state' || context.objects === undefined) return []
  const { objects } = context
  return [
    {
      name: 'recording.erase',
      leaderOnly: true,
      every: EVERY_MS,
      run: ({ signal }) => eraseRecordings(services, objects, signal),
    },
  ]
}

/** Erases due recordings. The row is removed after the parts, so that neither a crash nor an outage of the store leaves parts behind. */
export async function eraseRecordings(
  { store, settings, removed }: Pick<RecordingServices, 'store' | 'settings' | 'removed'>,
  objects: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  const query = { days: settings.retentionDays, limit: AT_ONCE }
  for (let more = true; more && !signal.aborted;) {
    const due = await readDue(store.reader<RecordingTables>(), query)
    let erased = 0
    for (const recording of due) {
      if (signal.aborted) return
      await eraseObjects(objects, recording.runId)
      if (!(await store.transact((tx) => forgetRecording(tx.tables<RecordingTables>(), recording)))) continue
      erased++
      removed(recording.reason)
    }
    more = due.length === AT_ONCE && erased > 0
  }
}

async function eraseObjects(objects: ObjectStore, runId: string): Promise<void> {
  for (let left = MAX_PAGE; left === MAX_PAGE;) {
    const keys = await objects.list(prefixOfRun(runId), { limit: MAX_PAGE })
    await objects.remove(keys)
    left = keys.length
  }
}
