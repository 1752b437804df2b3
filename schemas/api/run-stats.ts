import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { durationBounds } from '../values/duration.ts'
import { durationText } from '../kinds/parts.ts'
import { Money, namespaceQuery, scope, time } from './common.ts'
import { agentFilter, runFilters } from './run-filters.ts'
import { Usage } from './runs.ts'

/** What runs are grouped by. */
export const runGroups = ['agent', 'state', 'failReason', 'model', 'subject', 'trigger', 'tenant'] as const
/** One of `runGroups`. */
export type RunGroupBy = (typeof runGroups)[number]

/** Query of `GET /api/runs/stats`. */
export const RunStatsQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    agent: Type.Optional(agentFilter),
    ...runFilters,
    from: Type.Optional(described(time, 'Start of the window; default: a day before `to`.')),
    to: Type.Optional(described(time, 'End of the window, which is excluded; default: now.')),
    interval: Type.Optional(
      durationText(
        durationBounds.statsInterval,
        'Width of the bins: whole minutes that divide an hour, whole hours that divide a day, or whole days.',
      ),
    ),
    bins: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        description: 'In place of `interval`: about as many bins, of the next width that an interval can have.',
      }),
    ),
    groupBy: Type.Optional(Type.Enum([...runGroups], { description: 'What the runs are grouped by.' })),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 10,
        description: 'Number of groups with the most runs; the others are added up.',
      }),
    ),
  },
  { additionalProperties: false },
)

const number = (description: string, example: number) => Type.Number({ description, examples: [example] })
const numberOrNull = (description: string, example: number) =>
  exemplified(Type.Union([Type.Number(), Type.Null()], { description }), example)
const percentiles = Type.Object(
  {
    p50: numberOrNull('Median; null without a run that has it.', 840),
    p95: numberOrNull('95th percentile.', 2310),
    p99: numberOrNull('99th percentile.', 4790),
  },
  {
    title: 'RunPercentiles',
    description:
      'In milliseconds. durationMs: from the start to the end of ended runs; queueMs: from the creation to the start; firstTokenMs: from the start to the first text. From logarithmic buckets: the error is at most 10 %.',
  },
)

const counts = {
  count: number('Runs, in any state.', 42),
  succeeded: number('Runs that succeeded.', 39),
  failed: number('Runs that failed, timed out or were rejected.', 2),
  paused: number('Runs that are paused.', 1),
}

const sums = {
  ...counts,
  durationMs: percentiles,
  queueMs: percentiles,
  firstTokenMs: percentiles,
  usage: Usage,
  cost: Type.Array(Money, {
    description: 'Cost of the metered model calls by currency; without runs whose calls have several.',
  }),
}

const binStart = described(time, 'Start of the bin; the first and the last bin may be cut by the window.')
const bin = Type.Object({ from: binStart, ...sums }, { title: 'RunStatsBin' })
const binOfGroup = Type.Object({ from: binStart, ...counts }, { title: 'RunStatsBinOfGroup' })

const group = Type.Object(
  {
    key: exemplified(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Value of the group: of an agent its uid. Null for runs without one.',
      }),
      'model_error',
    ),
    agent: Type.Optional(
      Type.Object(
        {
          namespace: Type.String({ description: 'Namespace of the agent.', examples: ['default'] }),
          name: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
        },
        { title: 'AgentOfStats', description: 'The agent, if the runs are grouped by agent and have one.' },
      ),
    ),
    ...sums,
    bins: Type.Array(binOfGroup, { description: 'Bins of the group in their order; empty without bins.' }),
  },
  { title: 'RunStatsGroup' },
)

/** Response of `GET /api/runs/stats`. */
export const RunStats = Type.Object(
  {
    from: described(time, 'Start of the window that was counted.'),
    to: described(time, 'End of the window that was counted, which is excluded.'),
    resolutionMs: Type.Integer({
      description:
        'Resolution of the window: 60000 if its bounds were moved outwards to full minutes; 1 if they are as in the query.',
      examples: [60_000],
    }),
    namespace: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Namespace of the query, or null.' }),
      'default',
    ),
    scope: Type.Optional(scope),
    ...sums,
    interval: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Width of the bins; null without bins.' }),
      '1h',
    ),
    bins: Type.Array(bin, { description: 'Bins of the window in their order; empty without bins.' }),
    groupBy: exemplified(
      Type.Union([Type.Enum([...runGroups]), Type.Null()], { description: 'Grouping of the query, or null.' }),
      'failReason',
    ),
    groups: Type.Array(group, { description: 'Groups with the most runs, in descending order of their number.' }),
    other: Type.Union([Type.Object(sums, { title: 'RunStatsOfOthers' }), Type.Null()], {
      description: 'The runs of all other groups; null without one.',
    }),
  },
  { title: 'RunStats', description: 'Statistics of the runs that were created in a window.' },
)

/** See {@link RunStats}. */
export type RunStats = Static<typeof RunStats>
