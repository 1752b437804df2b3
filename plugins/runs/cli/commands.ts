import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'
import { filterOptions, orderOptions, statsOptions } from './query-options.ts'

/** `meshctl runs list`. */
export const runsList = defineApiCommand({
  words: 'runs list',
  summary: 'list runs, newest first',
  examples: [
    ['runs list --agent hello --state failed', 'failed runs of one agent'],
    ['runs list -A -o json', 'runs of every namespace that you may see'],
  ],
  options: {
    ...listOptions,
    ...filterOptions,
    ...orderOptions,
  },
  load: async () => (await import('./print-runs.ts')).printRuns,
})

/** `meshctl runs stats`. */
export const runsStats = defineApiCommand({
  words: 'runs stats',
  summary: 'show statistics of runs: counts, percentiles of times, tokens and cost',
  examples: [
    ['runs stats --group-by failReason --from 2026-11-20T00:00:00Z', 'why runs failed since a time'],
    ['runs stats -A --group-by agent -o json', 'the busiest agents of the last day'],
  ],
  options: {
    'all-namespaces': listOptions['all-namespaces'],
    ...filterOptions,
    ...statsOptions,
  },
  load: async () => (await import('./print-stats.ts')).printStats,
})

/** `meshctl runs get`. */
export const runsGet = defineApiCommand({
  words: 'runs get',
  summary: 'show a run',
  examples: [['runs get 019a0000-0000-7000-8000-000000000000 -o yaml', 'the run with its input and output']],
  options: { run: { positional: true, required: true, value: 'RUN_ID', help: 'id of the run' } },
  load: async () => (await import('./print-runs.ts')).printRun,
})
