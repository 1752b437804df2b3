import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { toRecordingFailure } from '#plugins/recording/contract/format/recording-failure.ts'
import { keyOfPart, sequenceOf } from '#plugins/recording/contract/format/part-key.ts'
import { processSecrets } from '#core/log/secrets.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { FixturePart } from '#schemas/runs/fixture.ts'
import { recordingErrors } from '../contract/errors.ts'
import type { RecordingSettings } from '../contract/settings.ts'
import { addPart, removePart } from './sizes.ts'
import type { RecordedRun, RecordingSize } from './sizes.ts'
import type { RecordingTables } from '../contract/tables.ts'

/** Dependencies of `storePart`. */
export interface PartServices {
  readonly store: Store
  readonly runs: Pick<RunsApi, 'lockIn'>
  readonly settings: RecordingSettings
  /** Reports the outcome, for metrics. */
  readonly counted: (outcome: string, bytes?: number) => void
}

/** Maximum number of ends of attempts, which even a full recording accepts. */
const MAX_ENDS = 64

/**
 * Stores a part of a run. Its size is counted and committed first, and reverted if the object store fails. Throws `recording_quota_exceeded`,
 * `not_found` for a removed run, `recording_unavailable`.
 */
export async function storePart(
  services: PartServices,
  objects: ObjectStore,
  run: RecordedRun,
  part: FixturePart,
): Promise<void> {
  const { store, counted } = services
  // Secrets of this process: a server may have echoed the token that the state role sent.
  const bytes = Buffer.from(processSecrets.redact(JSON.stringify(part)))
  await count(services, run, part, bytes.length)
  try {
    const { runId, channel } = part
    await objects.put(keyOfPart({ runId, channel, sequence: sequenceOf(part) }), bytes)
  } catch (error) {
    counted('failed')
    await store.transact((tx) => removePart(tx.tables<RecordingTables>(), run, bytes.length))
    throw toRecordingFailure(error)
  }
  counted('stored', bytes.length)
}

async function count(
  { store, runs, settings, counted }: PartServices,
  run: RecordedRun,
  { channel }: FixturePart,
  bytes: number,
): Promise<void> {
  try {
    await store.transact(async (tx) => {
      // Retention removes the run under the same lock, and then erases its recording.
      if (!(await runs.lockIn(tx, run.id))) throw new Fail('not_found')
      const size = await addPart(tx.tables<RecordingTables>(), run, bytes)
      if (size === undefined) throw new Fail('not_found')
      refuseAbove(settings, { ...size, namespace: run.namespace, isEnd: channel === 'end' })
    })
  } catch (error) {
    if (error instanceof Fail) counted(error.code === 'not_found' ? 'unknown_run' : 'quota')
    throw error
  }
}

interface Counted extends RecordingSize {
  readonly namespace: string
  readonly isEnd: boolean
}

function refuseAbove(
  { callsPerRun, bytesPerRun, bytesPerNamespace }: RecordingSettings,
  { parts, bytes, ofNamespace, namespace, isEnd }: Counted,
): void {
  if (parts > callsPerRun + MAX_ENDS || (!isEnd && parts > callsPerRun))
    throw tooMuch(`The run has ${callsPerRun} recorded calls (recording.callsPerRun).`)
  if (isEnd) return
  if (bytes > bytesPerRun) throw tooMuch(`The run has ${bytesPerRun} recorded bytes (recording.bytesPerRun).`)
  if (ofNamespace > bytesPerNamespace)
    throw tooMuch(`Namespace ${namespace} has ${bytesPerNamespace} recorded bytes (recording.bytesPerNamespace).`)
}

function tooMuch(detail: string): Fail {
  return new Fail(recordingErrors.recording_quota_exceeded, detail)
}
