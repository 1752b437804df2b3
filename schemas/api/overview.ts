import { Type } from 'typebox'
import type { Static, TSchema } from 'typebox'
import { RunId } from '../names/run-id.ts'
import { described, exemplified } from '../values/described.ts'
import { namespaceQuery, scope, timeOrNull } from './common.ts'
import { CostTotals, costDay } from './cost.ts'
import { CostForecast } from './cost-forecast.ts'

/** Entries that a part of the summary names. */
export const SUMMARY_TOP = 5

const namespace = Type.String({ description: 'Namespace of the object.', examples: ['default'] })
const name = Type.String({ description: 'Name of the object.', examples: ['hello'] })
const reason = Type.String({ description: 'Why, as one word.', examples: ['ImagePullBackOff'] })
const since = described(timeOrNull, 'Since when; null if it is not known.', '2026-11-20T08:00:00.000Z')
const text = (description: string, example: string) => Type.String({ description, examples: [example] })
const number = (description: string, example: number) => Type.Number({ description, examples: [example] })

const pausedRun = Type.Object(
  {
    runId: RunId,
    namespace,
    agent: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Agent of the run; null for a run without one.' }),
      'hello',
    ),
    reason: text('What the run waits for.', 'approval_required'),
    since,
  },
  { title: 'PausedRun' },
)

const troubled = Type.Object(
  {
    namespace,
    name,
    condition: text('Type of the condition that is not as it should be.', 'Degraded'),
    reason,
    ready: Type.Boolean({
      description: 'Whether it is ready all the same, as an agent whose earlier revision serves.',
      examples: [true],
    }),
    since,
    reference: exemplified(
      Type.Union(
        [
          Type.Object(
            { kind: text('Kind of the object.', 'ModelRoute'), namespace, name },
            { title: 'UnusableReference' },
          ),
          Type.Null(),
        ],
        { description: 'The object that it names and cannot use; null if that is not the reason.' },
      ),
      null,
    ),
  },
  { title: 'TroubledObject' },
)

const failing = Type.Object(
  {
    namespace,
    name,
    runs: number('Runs of the last 24 hours.', 40),
    failed: number('Failed ones of them.', 12),
  },
  { title: 'FailingAgent' },
)

const part = <Item extends TSchema>(item: Item, title: string, description: string) =>
  exemplified(
    Type.Union(
      [
        Type.Object(
          {
            count: Type.Integer({ description: 'Number of them, counted up to 1,000.', examples: [1] }),
            items: Type.Array(item, { description: `The first ${SUMMARY_TOP}.` }),
          },
          { title },
        ),
        Type.Null(),
      ],
      { description: `${description} Null if the caller may not list them.` },
    ),
    { count: 0, items: [] },
  )

const { interval, complete } = CostForecast.properties
const { currency, method, reason: because, restOfMonth } = CostForecast.properties.items.items.properties

/** Response of `GET /api/summary`. */
export const Summary = Type.Object(
  {
    waiting: Type.Object(
      {
        runs: part(pausedRun, 'PausedRuns', 'Runs that wait for a person.'),
        manifests: part(troubled, 'WaitingManifests', 'MCP servers whose offered tools wait for acceptance.'),
      },
      { title: 'SummaryWaiting', description: 'What waits for a person.' },
    ),
    unwell: Type.Object(
      {
        agents: part(troubled, 'UnreadyAgents', 'Agents that are not ready, or whose newest revision does not start.'),
        failing: part(failing, 'FailingAgents', 'Agents of which a tenth of the runs of 24 hours failed.'),
      },
      { title: 'SummaryUnwell', description: 'What is unwell.' },
    ),
    spend: exemplified(
      Type.Union(
        [Type.Object({ from: costDay, to: costDay, ...CostTotals.properties }, { title: 'SpendOfMonth' }), Type.Null()],
        {
          description: 'Cost of the month until today. Null if the caller may not list costs.',
        },
      ),
      null,
    ),
    forecast: exemplified(
      Type.Union(
        [
          Type.Object(
            {
              interval,
              complete,
              items: Type.Array(
                Type.Object({ currency, method, reason: because, restOfMonth }, { title: 'ForecastOfMonth' }),
                { description: 'By currency.' },
              ),
            },
            { title: 'SummaryForecast' },
          ),
          Type.Null(),
        ],
        { description: 'Forecast of the rest of the month. Null if the caller may not list costs.' },
      ),
      null,
    ),
  },
  { title: 'Summary' },
)

/** See {@link Summary}. */
export type Summary = Static<typeof Summary>

/** Query of `GET /api/summary`. */
export const SummaryQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope) },
  { additionalProperties: false },
)
