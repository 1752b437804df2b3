import { Type } from 'typebox'
import type { Static } from 'typebox'

const MIB = 1024 * 1024

const bytes = (description: string, mebibytes: number) =>
  Type.Integer({ minimum: MIB, maximum: 1024 * 1024 * MIB, default: mebibytes * MIB, description })

/** Settings of the plugin. */
export const recordingSettings = Type.Object(
  {
    retentionDays: Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: 30,
      description: 'Days that the recording of a run is kept. It is removed with its run at the latest.',
    }),
    callsPerRun: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 2_000,
      description: 'Maximum number of recorded calls per run; later calls are not recorded.',
    }),
    bytesPerRun: bytes('Maximum bytes recorded per run; later calls are not recorded.', 64),
    bytesPerNamespace: bytes('Maximum bytes of all recordings of a namespace; later calls are not recorded.', 1024),
  },
  { additionalProperties: false },
)

/** See {@link recordingSettings}. */
export type RecordingSettings = Static<typeof recordingSettings>
