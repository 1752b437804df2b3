/** The words of the list of traces, in English. */
export const tracesText = {
  title: 'Traces',
  agent: 'Agent that began it',
  note: 'Newest first',
  empty: 'No traces in this time',
  emptyDetail: 'Spans that agents and launchers send are listed here by their trace.',
  states: { all: 'All', error: 'With errors', ok: 'OK' },
  status: 'Status',
  columns: {
    status: 'Status',
    name: 'Name',
    agent: 'Agent',
    spans: 'Spans',
    errors: 'Errors',
    duration: 'Duration',
    started: 'Started',
  },
} as const
