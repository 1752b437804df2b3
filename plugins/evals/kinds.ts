import { statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import { checkSuite } from './suites/check-suite.ts'

/** Suites, with CRUD routes. */
export const suiteKind = crud(EvalSuite, {
  verbs: ['list', 'create', 'get', 'update', 'delete'],
  check: checkSuite,
  sample: {
    datasetRef: { name: 'greetings', version: 1 },
    evaluators: [
      { name: 'polite', type: 'contains', config: { values: ['please'], ignoreCase: true } },
      { name: 'shape', type: 'regex', weight: 2, threshold: 0.5, config: { pattern: '^[A-Z].*[.!]$' } },
      { name: 'tone', type: 'modelJudge', config: { rubric: 'The output is friendly.' } },
    ],
    aggregate: 'weightedMean',
    minScore: 0.8,
    budget: { amount: '1.00', currency: 'EUR' },
    liveTools: ['weather'],
    repetitions: 3,
    concurrency: 4,
    timeout: '10m',
    baseline: { revision: 'deployed', maxRegression: 0.05 },
    judge: { route: { name: 'mock' }, maxCost: { amount: '0.50', currency: 'EUR' } },
    online: { sampleRate: 0.1, maxCostPerDay: { amount: '0.20', currency: 'EUR' }, evaluators: ['polite'] },
    mode: 'block',
  },
})

const virtual = 'Virtual resource: exists only in access reviews.'

/** Rights on evaluations, of the manager on the status of suites, and on the routes of their judges. */
export const evalsAccess: readonly AccessRule[] = [
  { resource: 'evalsuites/runs', kind: 'Evaluation', reason: virtual, developer: ['create', 'delete'] },
  { resource: 'evalresults', kind: 'EvalResult', reason: virtual, viewer: ['get'] },
  {
    resource: 'evalsuites',
    reason: 'Letting a revision serve that has not passed: a verb of access reviews.',
    operator: ['override'],
  },
  { resource: 'modelroutes/invoke', reason: 'Judges of suites, by routes of their namespace.', worker: ['create'] },
  { resource: 'evalsuites', reason: 'Suites of previews that have expired.', manager: ['delete'] },
  { resource: 'agentdeployments', reason: 'Agents of previews that have expired.', manager: ['delete'] },
  { resource: 'evalsuites/status', reason: 'Conditions and the newest evaluation.', manager: statusVerbs },
  { resource: 'modelroutes', manager: ['get'] },
]
