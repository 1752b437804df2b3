import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

const filterOptions = {
  agent: { value: 'NAME', help: 'runs of one agent' },
  state: { value: 'STATES', help: 'runs in these states, such as failed,timed_out' },
  'fail-reason': { value: 'REASONS', help: 'runs that failed for these reasons, such as model_error' },
  subject: { value: 'NAME', help: 'runs of one subject' },
  trigger: { value: 'KIND', help: 'runs that were started so, such as api' },
  model: { value: 'MODEL', help: 'runs whose first model call was to this model' },
  label: { value: 'KEY=VALUE', help: 'runs with this label' },
  'min-duration': { value: 'DURATION', help: 'ended runs that took at least this long, such as 30s' },
  q: { value: 'PREFIX', help: 'prefix of the id, the subject or the value of a label' },
  from: { value: 'TIME', help: 'runs that were created at this time (RFC 3339) or later' },
  to: { value: 'TIME', help: 'runs that were created before this time' },
} as const

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
    since: { value: 'TIME', help: 'another name of --from' },
    order: { value: 'ORDER', help: 'newest, oldest or longest' },
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
    'group-by': { value: 'GROUP', help: 'agent, state, failReason, model, subject, trigger or tenant' },
    interval: { value: 'DURATION', help: 'width of bins, such as 1h; shown with -o json' },
    top: { value: 'N', help: 'number of groups, at most 50' },
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
