import { defineService } from '#launcher/contract/service.ts'
import { createRecorderOf } from './create-recorder.ts'

/** Recordings of runs. */
export const recordingService = defineService({ recorder: createRecorderOf })
