import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import {
  DNS_LABEL_PATTERN,
  amount,
  conditions,
  currency,
  duration,
  freeObject,
  localRef,
  observedGeneration,
} from '../kinds/parts.ts'
import { durationBounds } from '../values/duration.ts'

const closed = { additionalProperties: false }

/** Evaluators of the platform; further ones are contributed by plugins, with a name that contains a slash. */
export const BUILT_IN_EVALUATORS = [
  'exact',
  'contains',
  'regex',
  'jsonSchema',
  'toolSequence',
  'modelJudge',
  'http',
] as const

const score = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

const money = (description: string) =>
  Type.Object(
    { amount: amount('Amount as a decimal string.'), currency: Type.Optional(currency) },
    { ...closed, description },
  )

const datasetRef = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({
        maxLength: 63,
        pattern: DNS_LABEL_PATTERN,
        description: 'Namespace of the dataset, which must allow this one. Defaults to that of the suite.',
      }),
    ),
    name: Type.String({ minLength: 1, maxLength: 253, description: 'Name of the dataset.' }),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Version of a pin. Defaults to the latest pin, and without pins to the live cases.',
      }),
    ),
  },
  { ...closed, description: 'Cases of the suite.' },
)

const evaluatorName = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: DNS_LABEL_PATTERN,
  description: 'Name of the evaluator in scores.',
})

const evaluator = Type.Object(
  {
    name: evaluatorName,
    type: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[a-z][A-Za-z0-9.-]*(/[a-z][A-Za-z0-9-]*)?$',
      description: `What it compares: ${BUILT_IN_EVALUATORS.join(', ')}, or domain/name of a plugin.`,
    }),
    weight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1000,
        default: 1,
        description: 'Weight in the weighted mean. Defaults to 1.',
      }),
    ),
    threshold: Type.Optional(score('A case passes only if its score by this evaluator is at least this.')),
    config: Type.Optional(freeObject('What the evaluator compares with; its fields depend on the type.')),
  },
  { ...closed, description: 'One evaluator of the output of a case.' },
)

const baseline = Type.Object(
  {
    revision: Type.Unsafe<string | number>({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '^(deployed|[1-9][0-9]{0,8})$',
      maxLength: 9,
      description: 'The revision that serves (deployed), or the number of a revision that was evaluated.',
    }),
    maxRegression: score('By how much the score may be lower than that of the baseline.'),
  },
  { ...closed, description: 'Revision with which the score is compared.' },
)

const judge = Type.Object(
  {
    route: localRef('ModelRoute', 'Route of the model that judges.'),
    maxCost: money('What judging may cost. An evaluation whose judge needs more ends as Inconclusive.'),
  },
  { ...closed, description: 'Model of the evaluators of the type modelJudge.' },
)

const online = Type.Object(
  {
    sampleRate: score('Part of the finished runs that is scored.'),
    maxCostPerDay: Type.Optional(money('What judging may cost per day (UTC). Runs that need more are not scored.')),
    evaluators: Type.Array(evaluatorName, {
      minItems: 1,
      maxItems: 16,
      description: 'Names of evaluators of the suite that need no expected output.',
      'x-kubernetes-list-type': 'set',
    }),
  },
  { ...closed, description: 'Scores of runs in production.' },
)

const spec = Type.Object(
  {
    datasetRef,
    evaluators: Type.Array(evaluator, {
      minItems: 1,
      maxItems: 16,
      description: 'Evaluators of each case.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    aggregate: Type.Optional(
      Type.Enum(['weightedMean', 'min'], {
        default: 'weightedMean',
        description: 'How the scores of the evaluators of a case are combined.',
      }),
    ),
    minScore: score('Score at or above which a revision passes.'),
    budget: Type.Optional(money('Cost of the runs of one evaluation, from which on no further case is started.')),
    liveTools: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }), {
        maxItems: 64,
        description: 'Tools that cases call at their server. Other tools respond from the recording of the case.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    repetitions: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'Number of runs of each case. Defaults to 1.' }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 32,
        default: 4,
        description: 'Number of cases that run at the same time. Defaults to 4.',
      }),
    ),
    timeout: Type.Optional(
      duration(durationBounds.evaluation, 'Time in which an evaluation ends its runs. Defaults to 10m.'),
    ),
    baseline: Type.Optional(baseline),
    judge: Type.Optional(judge),
    online: Type.Optional(online),
    mode: Type.Optional(
      Type.Enum(['block', 'warn'], {
        default: 'block',
        description: 'block: a revision that has not passed is held. warn: it is only reported.',
      }),
    ),
  },
  {
    ...closed,
    description: 'How revisions of agents are scored.',
    'x-kubernetes-validations': [
      {
        rule: "has(self.judge) || self.evaluators.all(e, e.type != 'modelJudge')",
        message: 'an evaluator of the type modelJudge needs a judge',
        fieldPath: '.judge',
      },
      {
        // One that counts: without weight and threshold, it would leave the decision to the judge.
        rule: "(has(self.mode) && self.mode == 'warn') || self.evaluators.exists(e, e.type != 'modelJudge' && (!has(e.weight) || e.weight > 0.0 || (has(e.threshold) && e.threshold > 0.0)))",
        message: 'a suite of the mode block needs an evaluator other than modelJudge with a weight or a threshold',
        fieldPath: '.evaluators',
      },
      {
        rule: '!has(self.online) || self.online.evaluators.all(n, self.evaluators.exists(e, e.name == n))',
        message: 'online names an evaluator that the suite does not have',
        fieldPath: '.online.evaluators',
      },
      {
        // The author of a suite may lack the right to read runs, and names the address.
        rule: "!has(self.online) || self.evaluators.all(e, e.type != 'http' || !(e.name in self.online.evaluators))",
        message: 'online names an evaluator of the type http, which would send runs of others to its address',
        fieldPath: '.online.evaluators',
      },
    ],
  },
)

const evaluation = Type.Object(
  {
    id: Type.String({ maxLength: 36, description: 'Id of the evaluation.' }),
    agent: Type.String({ maxLength: 253, description: 'Agent whose revision was scored.' }),
    revision: Type.Integer({ minimum: 1, description: 'Number of the revision.' }),
    phase: Type.Enum(['Pending', 'Running', 'Passed', 'Failed', 'Inconclusive', 'Error', 'Cancelled'], {
      description: 'State of the evaluation.',
    }),
    score: Type.Optional(score('Score of the revision.')),
    reason: Type.Optional(Type.String({ maxLength: 128, description: 'Why it has this phase, in CamelCase.' })),
    finishedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When it ended.' })),
  },
  { description: 'The newest evaluation by the suite.' },
)

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    conditions: Type.Optional(conditions),
    evaluation: Type.Optional(evaluation),
  },
  { description: 'Observed state.' },
)

/** How revisions of agents are scored before they serve. */
export const EvalSuite = defineKind({
  kind: 'EvalSuite',
  plural: 'evalsuites',
  singular: 'evalsuite',
  shortNames: ['es'],
  scope: 'Namespaced',
  description: 'Cases and evaluators that score revisions of agents, and the score that they need.',
  spec,
  status,
  audited: ['minScore', 'mode'],
  printerColumns: [
    { name: 'Dataset', type: 'string', jsonPath: '.spec.datasetRef.name' },
    { name: 'MinScore', type: 'number', jsonPath: '.spec.minScore' },
    { name: 'Phase', type: 'string', jsonPath: '.status.evaluation.phase' },
    { name: 'Score', type: 'number', jsonPath: '.status.evaluation.score' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link EvalSuite}. */
export type EvalSuiteSpec = Static<typeof spec>

/** One evaluator of a suite. */
export type SuiteEvaluator = EvalSuiteSpec['evaluators'][number]

/** A suite in its wire format. */
export type EvalSuiteObject = ObjectOf<typeof EvalSuite>
