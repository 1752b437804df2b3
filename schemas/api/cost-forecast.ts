import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { namespaceQuery, scope } from './common.ts'
import { costDay, costPlace } from './cost.ts'

const estimate = Type.Union(
  [
    Type.Object(
      {
        from: costDay,
        to: costDay,
        amount: Type.String({ description: 'Decimal text.', examples: ['4.200000'] }),
        low: Type.String({ description: 'Lower bound of the interval.', examples: ['3.100000'] }),
        high: Type.String({ description: 'Upper bound of the interval.', examples: ['5.300000'] }),
      },
      { title: 'CostEstimate' },
    ),
    Type.Null(),
  ],
  { description: 'Whole days, both included; null without a method.' },
)

const forecastMethod = {
  method: exemplified(
    Type.Enum(['none', 'weighted-least-squares', 'weighted-least-squares-with-weekdays'], {
      description:
        'A line through the days, where recent ones count more; from 14 days on with factors of the weekdays.',
    }),
    'weighted-least-squares',
  ),
  reason: Type.String({ description: 'Why this method: how many days there are.', examples: ['8 days with calls'] }),
}

const forecastOfCurrency = Type.Object(
  {
    currency: Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }),
    ...forecastMethod,
    basis: described(
      Type.Union([
        Type.Object({
          from: costDay,
          to: costDay,
          days: Type.Integer({ description: 'Number of days.', examples: [8] }),
        }),
        Type.Null(),
      ]),
      'Days that the forecast is made from; null without a method.',
    ),
    spentThisMonth: Type.String({ description: 'Until yesterday, with which the basis ends.', examples: ['1.400000'] }),
    restOfMonth: estimate,
    next30Days: estimate,
    days: described(
      Type.Array(
        Type.Object(
          {
            day: costDay,
            amount: Type.String({ description: 'Decimal text.', examples: ['0.140000'] }),
            low: Type.String({ description: 'Lower bound of the interval.', examples: ['0.090000'] }),
            high: Type.String({ description: 'Upper bound of the interval.', examples: ['0.190000'] }),
          },
          { title: 'CostForecastOfDay' },
        ),
      ),
      'The days of both estimates, from today on; empty without a method. Their intervals do not add up to those of sums.',
    ),
  },
  { title: 'CostForecastOfCurrency' },
)

/** Forecast in one currency. */
export type CostForecastOfCurrency = Static<typeof forecastOfCurrency>

/** Query of `GET /api/cost/forecast`. */
export const CostForecastQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope) },
  { additionalProperties: false },
)

/** Response of `GET /api/cost/forecast`. */
export const CostForecast = Type.Object(
  {
    asOf: costDay,
    ...costPlace,
    interval: Type.Number({ description: 'Probability that the cost is between `low` and `high`.', examples: [0.8] }),
    complete: Type.Boolean({ description: 'Whether the cost of every call of the basis is known.', examples: [true] }),
    ...forecastMethod,
    items: Type.Array(forecastOfCurrency, { description: 'By currency; empty without priced calls before today.' }),
  },
  { title: 'CostForecast' },
)
