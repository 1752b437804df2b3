/** The words of the runs of an agent, in English. */
export const agentRunsText = {
  title: 'Runs of the agent',
  all: 'Open in Runs',
  note: 'Newest first',
  states: { all: 'All', failed: 'Failed', paused: 'Paused', running: 'Running' },
  stateLabel: 'State',
  empty: 'No runs yet',
  emptyDetail: 'Each message to the agent is a run. Send the first one in the playground.',
  columns: {
    state: 'State',
    input: 'Input',
    by: 'For',
    duration: 'Duration',
    tokens: 'Tokens',
    cost: 'Cost',
    created: 'Created',
  },
} as const
