import { Type } from 'typebox'
import type { Static } from 'typebox'
import { listOf, Money, namespaceQuery, pageQuery, scope } from './common.ts'

const strict = { additionalProperties: false }
const tokens = (description: string) => Type.Number({ description: `${description} Exact up to 2^53.` })

/** A day in UTC. */
export const costDay = Type.String({ maxLength: 10, description: 'Day in UTC: YYYY-MM-DD.' })
// A time fits, so that its refusal can say which day to write.
const dayQuery = Type.String({ maxLength: 64, description: 'Day in UTC: YYYY-MM-DD.' })

/** Calls, tokens and cost. */
export const CostTotals = Type.Object(
  {
    calls: tokens('Model calls.'),
    unpricedCalls: tokens('Calls whose cost is unknown: their model has no price, or no usage was reported.'),
    pendingCalls: tokens('Calls that the gateway has answered and not metered yet: for a moment after their end.'),
    complete: Type.Boolean({ description: 'Whether the cost of every call is known.' }),
    inputTokens: tokens('Input tokens.'),
    outputTokens: tokens('Output tokens.'),
    cachedTokens: tokens('Input tokens that were cached.'),
    reasoningTokens: tokens('Output tokens that were reasoning.'),
    cost: Type.Union([Type.Array(Money), Type.Null()], {
      description: 'Cost of the calls with a known price, by currency; null if there are calls and none has one.',
    }),
  },
  { title: 'CostTotals' },
)

/** See {@link CostTotals}. */
export type CostTotals = Static<typeof CostTotals>

/** Query of `GET /api/cost`. */
export const CostQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    from: Type.Optional(dayQuery),
    to: Type.Optional(dayQuery),
  },
  strict,
)

const place = {
  namespace: Type.Union([Type.String(), Type.Null()], { description: 'Namespace of the query, or null.' }),
  scope: Type.Optional(scope),
}
const period = { from: costDay, to: costDay, ...place }

/** Answer of `GET /api/cost`. */
export const CostView = Type.Object(
  {
    ...period,
    total: CostTotals,
    days: Type.Array(Type.Object({ day: costDay, ...CostTotals.properties }, { title: 'CostOfDay' }), {
      description: 'Days with calls, in their order.',
    }),
  },
  { title: 'CostView' },
)

const textOrNull = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }))
const agent = Type.Union(
  [Type.Object({ name: Type.String(), uid: Type.String() }, { title: 'CostAgent' }), Type.Null()],
  { description: 'Null for calls of people.' },
)

const subject =
  'Name of the person that called the gateway; null for calls of agents, and for calls before persons had names.'

const group = Type.Object({
  namespace: Type.Optional(Type.String()),
  namespaceUid: textOrNull('Two namespaces of one name differ in it; null if it was never observed.'),
  agent: Type.Optional(agent),
  subject: textOrNull(subject),
  model: textOrNull('Null for what agents reported.'),
  provider: textOrNull('namespace/name; null for what agents reported.'),
  tenant: textOrNull('Null without a tenant.'),
  label: textOrNull('Value of the label; null for agents without it, and for people.'),
  day: Type.Optional(costDay),
})

/** What a group has in common: the fields of `groupBy`. */
export type CostGroup = Static<typeof group>

/** One group of `GET /api/cost/breakdown`. */
export const CostOfGroup = Type.Object({ ...group.properties, ...CostTotals.properties }, { title: 'CostOfGroup' })

/** Query of `GET /api/cost/breakdown`. */
export const CostBreakdownQuery = Type.Object(
  {
    ...CostQuery.properties,
    groupBy: Type.Optional(
      Type.String({
        maxLength: 323,
        default: 'agent',
        description:
          '`agent` (default), `subject`, `model`, `provider`, `tenant`, `namespace`, `day`, or `label:<key>`.',
      }),
    ),
    ...pageQuery,
  },
  strict,
)

/** Answer of `GET /api/cost/breakdown`: groups in the order of their keys. */
export const CostBreakdown = Type.Object(
  { ...period, groupBy: Type.String(), ...listOf(CostOfGroup).properties },
  { title: 'CostBreakdown' },
)

const estimate = Type.Union(
  [
    Type.Object(
      {
        from: costDay,
        to: costDay,
        amount: Type.String({ description: 'Decimal text.' }),
        low: Type.String({ description: 'Lower end of the interval.' }),
        high: Type.String({ description: 'Upper end of the interval.' }),
      },
      { title: 'CostEstimate' },
    ),
    Type.Null(),
  ],
  { description: 'Whole days, both included; null without a method.' },
)

const forecastMethod = {
  method: Type.Enum(['none', 'weighted-least-squares', 'weighted-least-squares-with-weekdays'], {
    description: 'A line through the days, where recent ones count more; from 14 days on with factors of the weekdays.',
  }),
  reason: Type.String({ description: 'Why this method: how many days there are.' }),
}

const forecastOfCurrency = Type.Object(
  {
    currency: Type.String(),
    ...forecastMethod,
    basis: Type.Union([Type.Object({ from: costDay, to: costDay, days: Type.Integer() }), Type.Null()]),
    spentThisMonth: Type.String({ description: 'Until yesterday, with which the basis ends.' }),
    restOfMonth: estimate,
    next30Days: estimate,
  },
  { title: 'CostForecastOfCurrency' },
)

/** Forecast in one currency. */
export type CostForecastOfCurrency = Static<typeof forecastOfCurrency>

/** Query of `GET /api/cost/forecast`. */
export const CostForecastQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope) },
  strict,
)

/** Answer of `GET /api/cost/forecast`. */
export const CostForecast = Type.Object(
  {
    asOf: costDay,
    ...place,
    interval: Type.Number({ description: 'Probability that the cost is between `low` and `high`.' }),
    complete: Type.Boolean({ description: 'Whether the cost of every call of the basis is known.' }),
    ...forecastMethod,
    items: Type.Array(forecastOfCurrency, { description: 'By currency; empty without priced calls before today.' }),
  },
  { title: 'CostForecast' },
)

/** One line of `GET /api/cost/chargeback`. */
export const ChargebackLine = Type.Object(
  {
    tenant: Type.Union([Type.String(), Type.Null()], { description: 'The tenant of the namespace by now.' }),
    namespace: Type.String(),
    namespaceUid: Type.Union([Type.String(), Type.Null()]),
    agent,
    subject: Type.Union([Type.String(), Type.Null()], { description: subject }),
    provider: Type.Union([Type.String(), Type.Null()]),
    model: Type.Union([Type.String(), Type.Null()]),
    operation: Type.String({
      description: '`chat/completions`, `embeddings`, or `reported` for what agents reported.',
    }),
    ...CostTotals.properties,
  },
  { title: 'ChargebackLine' },
)

/** Query of `GET /api/cost/chargeback`. */
export const ChargebackQuery = Type.Object(
  {
    ...CostQuery.properties,
    format: Type.Optional(
      Type.Enum(['json', 'csv', 'focus'], {
        default: 'json',
        description: '`csv` and `focus` (columns of FOCUS 1.1) are by day and price, and have no pages.',
      }),
    ),
    ...pageQuery,
  },
  strict,
)

/** Answer of `GET /api/cost/chargeback`. */
export const Chargeback = Type.Object({ ...period, ...listOf(ChargebackLine).properties }, { title: 'Chargeback' })
