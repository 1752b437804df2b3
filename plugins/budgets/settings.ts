import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, currency } from '#schemas/parts.ts'

const modelPrice = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256, description: 'Model id at the provider.' }),
    currency: Type.Optional(currency),
    inputPerMillion: amount('Price of one million input tokens.'),
    outputPerMillion: amount('Price of one million output tokens.'),
    cachedInputPerMillion: Type.Optional(amount('Price of one million cached input tokens; as input when absent.')),
    cacheWritePerMillion: Type.Optional(
      amount('Price of one million input tokens that are written to a cache; as input when absent.'),
    ),
    cacheWrite1hPerMillion: Type.Optional(
      amount('Price of one million input tokens that are written to a cache for an hour; as other writes when absent.'),
    ),
    reasoningPerMillion: Type.Optional(amount('Price of one million reasoning tokens; as output when absent.')),
  },
  { additionalProperties: false },
)

/** Settings of the plugin. */
export const budgetsSettings = Type.Object(
  {
    unknownPrice: Type.Union([Type.Literal('refuse'), Type.Literal('allow')], {
      default: 'refuse',
      description:
        'Calls of agents with a spend limit to a model without a price: refused, or allowed with an unknown cost. An unknown price is never 0.',
    }),
    prices: Type.Array(modelPrice, {
      default: [],
      maxItems: 1_000,
      description: 'Prices of models whose route has none. They replace the shipped prices.',
    }),
    shippedPrices: Type.Boolean({
      default: true,
      description: 'Whether the price table of this version applies to models that neither a route nor `prices` names.',
    }),
    defaultMaxOutputTokens: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 4_096,
      description: 'Output tokens that a hold covers if the call does not limit them.',
    }),
    holdLease: Type.Integer({
      minimum: 5,
      maximum: 3_600,
      default: 60,
      description: 'Seconds until a hold that is neither settled nor renewed is charged.',
    }),
    holdRetentionDays: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 30,
      description: 'Days that ended holds are kept.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link budgetsSettings}. */
export type BudgetsSettings = Static<typeof budgetsSettings>
