import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import type { Store } from '#core/event-store/store.ts'
import { endPart, modelPart, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { createFolderStore } from '#core/objects/folder-store.ts'
import { recordingConsumers } from '#plugins/recording/consumers.ts'
import { recordingJobs } from '#plugins/recording/jobs.ts'
import { recordingSettings } from '#plugins/recording/contract/settings.ts'
import { storePart } from '#plugins/recording/store/store-part.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { SelectedRun } from '#plugins/runs/contract/tables.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

/** Opens recordings in a folder, and what removes them. */
export function openRecordings(
  t: TestContext,
  {
    store,
    lockIn,
    retentionDays,
  }: { readonly store: Store; readonly lockIn: RunsApi['lockIn']; readonly retentionDays: number },
) {
  const folder = tempFolder('recordings')
  t.after(() => folder.remove())
  const objects = createFolderStore(folder.path)
  const settings = { ...Value.Create(recordingSettings), retentionDays }
  const services = { store, runs: { lockIn }, settings, counted: () => undefined, removed: () => undefined }
  return {
    consumers: recordingConsumers(),
    jobs: recordingJobs(services as never, { role: 'state', objects } as never),
    /** Records a model call, a tool call and the end of a run. */
    record: async ({ id, namespace, namespace_uid: namespaceUid }: SelectedRun): Promise<void> => {
      for (const part of [modelPart(1, 'x'.repeat(500)), toolPart(1, { q: 'x' }), endPart(1, 1)])
        await storePart(services, objects, { id, namespace: namespace as never, namespaceUid }, { ...part, runId: id })
    },
    /** Entries of the folder, its subfolders included, and bytes of its files. */
    measure: (): { readonly rows: number; readonly bytes: number } => {
      const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      const bytes = files.reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0)
      return { rows: entries.length, bytes }
    },
  }
}
