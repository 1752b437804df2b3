import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { listOf, Money, namespaceQuery, pageQuery, scope } from './common.ts'

const strict = { additionalProperties: false }
const tokens = (description: string, example: number) =>
  Type.Number({ description: `${description} Exact up to 2^53.`, examples: [example] })

/** A day in UTC. */
export const costDay = Type.String({ maxLength: 10, description: 'Day in UTC: YYYY-MM-DD.', examples: ['2026-11-20'] })
// The maximum length fits a time, so that its refusal can suggest the day to write.
const dayQuery = Type.String({ maxLength: 64, description: 'Day in UTC: YYYY-MM-DD.' })

/** Calls, tokens and cost. */
export const CostTotals = Type.Object(
  {
    calls: tokens('Model calls.', 2),
    unpricedCalls: tokens('Calls whose cost is unknown: their model has no price, or no usage was reported.', 0),
    pendingCalls: tokens('Calls that the gateway has answered and not metered yet: for a moment after their end.', 0),
    complete: Type.Boolean({ description: 'Whether the cost of every call is known.', examples: [true] }),
    inputTokens: tokens('Input tokens.', 42),
    outputTokens: tokens('Output tokens.', 18),
    cachedTokens: tokens('Input tokens that were cached.', 0),
    reasoningTokens: tokens('Output tokens that were reasoning.', 0),
    cost: Type.Union([Type.Array(Money), Type.Null()], {
      description: 'Cost of the calls with a known price, by currency; null if there are calls and none has one.',
    }),
  },
  { title: 'CostTotals', description: 'Calls, tokens and cost together.' },
)

/** See {@link CostTotals}. */
export type CostTotals = Static<typeof CostTotals>

/** Namespaces and days of a query. */
export const CostQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    from: Type.Optional(dayQuery),
    to: Type.Optional(dayQuery),
  },
  strict,
)

/** Query of `GET /api/cost`. */
export const CostViewQuery = Type.Object(
  {
    ...CostQuery.properties,
    previous: Type.Optional(
      Type.Boolean({ default: false, description: 'Adds the period of the same length before `from`.' }),
    ),
  },
  strict,
)

/** Where the sums of a response are from. */
export const costPlace = {
  namespace: exemplified(
    Type.Union([Type.String(), Type.Null()], { description: 'Namespace of the query, or null.' }),
    'default',
  ),
  scope: Type.Optional(scope),
}
const period = { from: costDay, to: costDay, ...costPlace }

/** Response of `GET /api/cost`. */
export const CostView = Type.Object(
  {
    ...period,
    total: CostTotals,
    previous: Type.Optional(
      Type.Object(
        { from: costDay, to: costDay, ...CostTotals.properties },
        { title: 'PreviousCost', description: 'The period before; with `previous=true`.' },
      ),
    ),
    days: Type.Array(Type.Object({ day: costDay, ...CostTotals.properties }, { title: 'CostOfDay' }), {
      description: 'Days with calls, in their order.',
    }),
  },
  { title: 'CostView' },
)

const textOrNull = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }))
const agent = Type.Union(
  [
    Type.Object(
      {
        name: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
        uid: Type.String({ description: 'UID of the agent.', examples: ['6f1c2a90-2f5e-4d1b-9c53-0b7d1c9e4a11'] }),
      },
      { title: 'CostAgent' },
    ),
    Type.Null(),
  ],
  { description: 'Null for calls of people.' },
)

const subject =
  'Name of the person that called the gateway; null for calls of agents, and for calls before persons had names.'

const group = Type.Object({
  namespace: Type.Optional(Type.String({ description: 'Namespace of the agent or person.', examples: ['default'] })),
  namespaceUid: textOrNull('Two namespaces of one name differ in it; null if it was never observed.'),
  agent: Type.Optional(agent),
  subject: textOrNull(subject),
  model: textOrNull('Null for what agents reported.'),
  provider: textOrNull('namespace/name; null for what agents reported.'),
  tenant: textOrNull('Null without a tenant.'),
  label: textOrNull('Value of the label; null for agents without it, and for people.'),
  day: Type.Optional(costDay),
  other: Type.Optional(
    Type.Boolean({ description: 'With `top`: whether the group has all other values.', examples: [false] }),
  ),
})

/** The fields that identify a group: those of `groupBy`. */
export type CostGroup = Static<typeof group>

/** One group of `GET /api/cost/breakdown`. */
export const CostOfGroup = Type.Object({ ...group.properties, ...CostTotals.properties }, { title: 'CostOfGroup' })

/** Query of `GET /api/cost/breakdown`. */
export const CostBreakdownQuery = Type.Object(
  {
    ...CostQuery.properties,
    groupBy: Type.Optional(
      Type.String({
        maxLength: 647,
        default: 'agent',
        description:
          '`agent` (default), `subject`, `model`, `provider`, `tenant`, `namespace`, `day`, or `label:<key>`; or two of them: `day,agent`.',
      }),
    ),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        description:
          'Number of values of the last dimension, by cost in the period; the others are one group. By default all are shown.',
      }),
    ),
    ...pageQuery,
  },
  strict,
)

/** Response of `GET /api/cost/breakdown`: groups in the order of their keys. */
export const CostBreakdown = Type.Object(
  {
    ...period,
    groupBy: Type.String({ description: 'Grouping of the query.', examples: ['agent'] }),
    ...listOf(CostOfGroup).properties,
  },
  { title: 'CostBreakdown' },
)

/** One line of `GET /api/cost/chargeback`. */
export const ChargebackLine = Type.Object(
  {
    tenant: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Current tenant of the namespace.' }),
      'acme',
    ),
    namespace: Type.String({ description: 'Namespace of the agent or person.', examples: ['default'] }),
    namespaceUid: described(
      Type.Union([Type.String(), Type.Null()]),
      'UID of the namespace; null if it was never observed.',
      '0f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a',
    ),
    agent,
    subject: Type.Union([Type.String(), Type.Null()], { description: subject, examples: [null] }),
    provider: described(
      Type.Union([Type.String(), Type.Null()]),
      'namespace/name of the ModelProvider; null for what agents reported.',
      'default/demo',
    ),
    model: described(
      Type.Union([Type.String(), Type.Null()]),
      'Model id at the provider; null for what agents reported.',
      'mock',
    ),
    operation: Type.String({
      description: '`chat/completions`, `embeddings`, or `reported` for what agents reported.',
      examples: ['chat/completions'],
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

/** Response of `GET /api/cost/chargeback`. */
export const Chargeback = Type.Object({ ...period, ...listOf(ChargebackLine).properties }, { title: 'Chargeback' })
