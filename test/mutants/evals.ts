import type { Mutant } from './mutant.ts'

const executor = ['plugins/evals/execute/executor.test.ts']
const online = ['plugins/evals/online/online.test.ts']
const contents = ['plugins/datasets/store/removed-contents.test.ts']

/** Defects of evaluations and datasets: who acts, caps, limits, recordings, and what outlives an erased person. */
export const mutants: readonly Mutant[] = [
  {
    name: 'evals: every executor acts as agents',
    file: 'plugins/runs/create/permission.ts',
    find: 'kind === executor && actsAsAgent === true',
    replace: 'kind === executor',
    tests: executor,
    only: 'acts as the agent',
  },
  {
    name: 'evals: an evaluation does not act as its agent',
    file: 'plugins/evals/execute/executor.ts',
    find: '    actsAsAgent: true,\n',
    replace: '',
    tests: executor,
    only: 'acts as the agent',
  },
  {
    name: 'evals: the judge of an evaluation has no cap',
    file: 'plugins/evals/execute/settle-cases.ts',
    find: "cap: { id, window: 'total', amount, currency },",
    replace: 'cap: undefined,',
    tests: executor,
    only: 'X8: the cap of the judge',
  },
  {
    name: 'evals: an evaluation goes on after its cap',
    file: 'plugins/evals/execute/executor.ts',
    find: 'const stop = isCapped ? capReached : findStop(',
    replace: 'const stop = findStop(',
    tests: executor,
    only: 'X8: the cap of the judge',
  },
  {
    name: 'evals: online scores have no limit per day',
    file: 'plugins/evals/online/sample-runs.ts',
    find: 'const isWithin = index < within',
    replace: 'const isWithin = within >= 0',
    tests: online,
    only: 'stay below the limit per day',
  },
  {
    name: 'evals: a case calls the server of a tool',
    file: 'plugins/evals/execute/recorded-response.ts',
    find: 'if (found.suite_spec.liveTools?.includes(name) === true)',
    replace: 'if (found.suite_spec.liveTools !== undefined)',
    tests: executor,
    only: 'recorded result',
  },
  {
    name: 'datasets: an edited case forgets its run, and outlives the person',
    file: 'plugins/datasets/store/cases.ts',
    find: 'run_id: made.runId ?? before?.run_id ?? null',
    replace: 'run_id: made.runId',
    tests: contents,
  },
  {
    name: 'datasets: runs removed by retention take their cases with them',
    file: 'plugins/datasets/consumers.ts',
    find: 'data.erased === undefined ? [] : data.runId',
    replace: 'data.runId',
    tests: contents,
  },
  {
    name: 'datasets: contents of a pin go with an old snapshot',
    file: 'plugins/datasets/store/prune-snapshots.ts',
    find: 'p.mark >= c.first_mark and p.mark < c.end_mark',
    replace: 'p.mark < c.first_mark',
    tests: contents,
  },
]
