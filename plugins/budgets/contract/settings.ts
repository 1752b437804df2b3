import { Type } from 'typebox'
import type { Static } from 'typebox'
import { modelPrice } from '#schemas/kinds/prices.ts'

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
      description: 'Prices of models. They take precedence over prices of routes, providers and the shipped table.',
    }),
    shippedPrices: Type.Boolean({
      default: true,
      description: 'Whether the price table of this version applies to models without another price.',
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
      description: 'Retention of ended holds, in days.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link budgetsSettings}. */
export type BudgetsSettings = Static<typeof budgetsSettings>
