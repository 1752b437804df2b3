import { Type } from 'typebox'
import type { Static } from 'typebox'
import { freeObject } from './parts.ts'

/** Sampling parameters of a model call, as an agent or a route may set them. */
export const ModelParams = Type.Object(
  {
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'Sampling temperature.' })),
    topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Nucleus sampling.' })),
    maxTokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Maximum number of tokens in one response.' }),
    ),
    seed: Type.Optional(Type.Integer({ description: 'Seed, for providers that support one.' })),
    stop: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 8,
        description: 'Sequences that end the response.',
      }),
    ),
    presencePenalty: Type.Optional(
      Type.Number({ minimum: -2, maximum: 2, description: 'Penalty for topics already present.' }),
    ),
    frequencyPenalty: Type.Optional(
      Type.Number({ minimum: -2, maximum: 2, description: 'Penalty for repeated tokens.' }),
    ),
    reasoningEffort: Type.Optional(
      Type.Enum(['minimal', 'low', 'medium', 'high'], {
        description: 'Effort of models that reason before they answer.',
      }),
    ),
    extra: Type.Optional(freeObject('Further fields of the request body, sent unchanged.')),
  },
  { additionalProperties: false, description: 'Parameters of each model call.' },
)

/** See {@link ModelParams}. */
export type ModelParams = Static<typeof ModelParams>

const WIRE_NAMES: Record<Exclude<keyof ModelParams, 'extra'>, string> = {
  temperature: 'temperature',
  topP: 'top_p',
  maxTokens: 'max_tokens',
  seed: 'seed',
  stop: 'stop',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  reasoningEffort: 'reasoning_effort',
}

/** The parameters under their names in an OpenAI request body; a named field wins over `extra`. */
export function toRequestFields(params: ModelParams): Record<string, unknown> {
  const { extra, ...named } = params
  const fields = Object.entries(named).map(([name, value]) => [WIRE_NAMES[name as keyof typeof WIRE_NAMES], value])
  return { ...extra, ...Object.fromEntries(fields) }
}
