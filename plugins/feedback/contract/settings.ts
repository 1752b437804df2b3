import { Type } from 'typebox'

/** Settings of the plugin. */
export const feedbackSettings = Type.Object(
  {
    fromAgents: Type.Boolean({
      default: true,
      description:
        'Whether agents with a process get the feedback port of their launcher. A change replaces their pods.',
    }),
    scoresPerRun: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Maximum number of scores per run; further scores are refused with 429.',
    }),
    scoresPerNamespace: Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      default: 1_000_000,
      description: 'Maximum number of scores per namespace; further scores are refused with 429.',
    }),
  },
  { additionalProperties: false },
)
