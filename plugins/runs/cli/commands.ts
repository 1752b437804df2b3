import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

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
    agent: { value: 'NAME', help: 'runs of one agent' },
    state: { value: 'STATE', help: 'runs in one state, such as paused' },
    since: { value: 'TIME', help: 'runs that were created at this time (RFC 3339) or later' },
  },
  load: async () => (await import('./print-runs.ts')).printRuns,
})

/** `meshctl runs get`. */
export const runsGet = defineApiCommand({
  words: 'runs get',
  summary: 'show a run',
  examples: [['runs get 019a0000-0000-7000-8000-000000000000 -o yaml', 'the run with its input and output']],
  options: { run: { positional: true, required: true, value: 'RUN_ID', help: 'id of the run' } },
  load: async () => (await import('./print-runs.ts')).printRun,
})
