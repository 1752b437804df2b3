import type { FailureRow } from './failure.ts'

const lost = { status: 200, recording: 'incomplete' } as const

/** A call of a recorded run while the object store fails. */
export const recordedFailures: Omit<FailureRow, 'request'> = {
  dependency: 'object store',
  healthy: 200,
  killed: lost,
  frozen: lost,
  slow: { status: 200, recording: 'complete' },
  note: 'A call does not wait for its recording. A lost part is in `mesh_launcher_recording_parts_total{outcome="failed"}`, `mesh_recording_parts_total{outcome="failed"}` and `problems` of the recording.',
}
