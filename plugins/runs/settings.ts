import { Type } from 'typebox'

/** Settings of the runs plugin. */
export const runsSettings = Type.Object(
  {
    workerConcurrency: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 64,
      description: 'Runs that one worker drives at once.',
    }),
    unreachableAfter: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description: 'Seconds that an agent may be without address or answer before its run fails.',
    }),
    invokeTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description: 'Seconds that POST /api/invoke waits when it names no timeout.',
    }),
  },
  { additionalProperties: false },
)
