import { Type } from 'typebox'

/** What traces may contain. */
export const tracePolicy = Type.Object(
  {
    capture: Type.Optional(
      Type.Enum(['full', 'metadata', 'none'], {
        default: 'metadata',
        description: 'full keeps prompts and tool arguments, metadata only names, times and counts.',
      }),
    ),
    redact: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 64,
        description: 'What is removed from captured text: email, phone, credit_card, ip_address, or an RE2 pattern.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    sampleRate: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of runs that are traced. Defaults to 1.' }),
    ),
  },
  { additionalProperties: false, description: 'What traces of this agent hold.' },
)

/** Recording of runs; absent: nothing is recorded. */
export const runRecording = Type.Object(
  {},
  {
    additionalProperties: false,
    description:
      'Records the model calls and tool calls of runs, with whole prompts and results, to replay them. Secrets and what tracePolicy.redact names are removed.',
  },
)
