import { defineApiCommand, defineContextCommand } from '#cli/contract/command.ts'
import { reportFormats } from './report/print-report.ts'
import { listOptions } from '#cli/contract/list-options.ts'

/** `meshctl eval`. */
export const evalCandidate = defineContextCommand({
  words: 'eval',
  summary: 'evaluate an agent file without traffic, and exit by its score',
  description: `
Applies the agent of a file as a preview without traffic, waits for its evaluation, prints a report and removes what
it made. The suite is that of the file (eval.suite); without one, outputs are compared with the expected outputs of
the dataset. References lead to the namespace of the file; their targets allow the namespace of the evaluation.`,
  examples: [
    ['eval --candidate agent.yaml --min-score 0.8', 'in the namespace agent-eval'],
    ['eval --candidate agent.yaml --min-score 0.8 --output junit > eval.xml', 'a report for CI'],
    ['eval --candidate agent.yaml --min-score 1 --dataset demo/smoke', 'on another dataset'],
  ],
  options: {
    candidate: { value: 'FILE', required: true, help: 'agent file to evaluate; - is standard input' },
    'min-score': { value: 'N', required: true, help: 'score that it needs, from 0 to 1', parse: toScore },
    dataset: { value: 'NAME', help: 'name or namespace/name of the dataset; default: eval.dataset', parse: toDataset },
    namespace: { value: 'NAME', default: 'agent-eval', help: 'namespace to evaluate in', parse: toNamespace },
    output: { oneOf: reportFormats, default: 'json', help: 'format of the report' },
  },
  usageCode: 2,
  failureCode: 2,
  exitCodes: {
    0: 'the score is at least --min-score',
    1: 'it is lower',
    2: 'there is no score: Inconclusive, Error, Cancelled, a timeout, or it could not run',
  },
  load: async () => (await import('./gate/evaluate-candidate.ts')).evaluateCandidate,
})

const suite = { value: 'SUITE', positional: true, required: true, help: 'name of the suite' } as const
const agent = { value: 'NAME', help: 'only evaluations of an agent' } as const
const revision = { value: 'N', help: 'only evaluations of a revision', parse: toRevision } as const

/** `meshctl evals list`. */
export const evalsList = defineApiCommand({
  words: 'evals list',
  summary: 'list suites with their newest evaluation',
  options: listOptions,
  load: async () => (await import('./show-suites.ts')).listSuites,
})

/** `meshctl evals get`. */
export const evalsGet = defineApiCommand({
  words: 'evals get',
  summary: 'show a suite: dataset, evaluators and its newest evaluation',
  options: { suite },
  load: async () => (await import('./show-suites.ts')).getSuite,
})

/** `meshctl evals results`. */
export const evalsResults = defineApiCommand({
  words: 'evals results',
  summary: 'list the scores of the cases of an evaluation, or with --history the evaluations',
  examples: [
    ['evals results polite --agent bot', 'the newest evaluation of an agent'],
    ['evals results polite --history', 'evaluations before it, with what serves'],
  ],
  options: { suite, agent, revision, history: { help: 'list evaluations in place of cases' } },
  load: async () => (await import('./show-results.ts')).listResults,
})

/** `meshctl evals override`. */
export const evalsOverride = defineApiCommand({
  words: 'evals override',
  summary: 'let a revision serve that has not passed its gate',
  examples: [['evals override polite bot 3 --reason "Reviewed by hand."', 'needs the right to override']],
  options: {
    suite,
    agent: { value: 'AGENT', positional: true, required: true, help: 'name of the agent' },
    revision: {
      value: 'REVISION',
      positional: true,
      required: true,
      help: 'number of the revision',
      parse: toRevision,
    },
    reason: { value: 'TEXT', required: true, help: 'why, on one line' },
  },
  load: async () => (await import('./override-gate.ts')).overrideGate,
})

function toScore(text: string): number {
  const score = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  if (!(score >= 0 && score <= 1)) throw new Error('must be a number from 0 to 1')
  return score
}

function toDataset(text: string): string {
  const isName = text.split('/').length <= 2 && text.split('/').every((one) => isLabel(one))
  if (!isName) throw new Error('must be a name or namespace/name')
  return text
}

function toNamespace(text: string): string {
  if (!isLabel(text)) throw new Error('must be the name of a namespace')
  return text
}

function isLabel(text: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(text)
}

function toRevision(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647) throw new Error('must be a number from 1')
  return Number(text)
}
