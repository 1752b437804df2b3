import { defineCounter } from '#core/telemetry/metrics.ts'

/** Recordings of runs. */
export const recordingMetrics = {
  parts: defineCounter({
    name: 'mesh_recording_parts_total',
    help: 'Parts of recordings by outcome: stored, quota (refused), unknown_run, failed (object store).',
    labels: ['outcome'],
    roles: ['state'],
  }),
  bytes: defineCounter({
    name: 'mesh_recording_bytes_total',
    help: 'Bytes of stored parts of recordings.',
    labels: [],
    roles: ['state'],
  }),
  removed: defineCounter({
    name: 'mesh_recordings_removed_total',
    help: 'Recordings that were removed, by reason: retention, or run (removed with its run).',
    labels: ['reason'],
    roles: ['state'],
  }),
}
