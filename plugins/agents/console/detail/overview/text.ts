import { plural } from '#ui/text/plural.ts'

/** The words of the overview of an agent, in English. */
export const overviewText = {
  conditions: 'Conditions',
  noConditions: 'No controller has reported on this agent yet.',
  day: {
    title: 'Last 24 hours',
    runs: 'Runs',
    failed: 'Failed',
    succeeded: 'Succeeded',
    median: 'Median',
    p95: 'p95',
    tokens: 'Tokens',
    cost: 'Cost',
    none: 'You may not list the runs of this agent.',
  },
  budget: {
    title: 'Budget',
    spent: 'Spent',
    held: 'Held for calls in progress',
    left: 'Left',
    resets: 'Starts again',
    of: (window: string) => (window === 'total' ? 'Limit' : `Limit, by ${window}`),
    share: (percent: string) => `${percent} of the budget is spent`,
  },
  pods: {
    title: 'Pods',
    none: 'It has no pod now: it is scaled to zero, or has not started.',
    denied: 'You may not list pods here.',
    columns: {
      name: 'Pod',
      state: 'State',
      revision: 'Revision',
      restarts: 'Restarts',
      ended: 'Last end',
      age: 'Since',
    },
    ready: 'Ready',
    ended: (reason: string, code: number) => `${reason}, exit code ${code}`,
  },
  events: {
    title: 'Events',
    none: 'No events are kept. A cluster keeps them for an hour or so.',
    denied: 'You may not list events here.',
    columns: { when: 'When', reason: 'Reason', message: 'Message', count: 'Times' },
  },
  references: {
    title: 'References',
    none: 'It refers to nothing.',
    missing: 'missing',
    unknown: 'not yours to read',
  },
  usedBy: { title: 'Used by', none: 'Nothing that you may read refers to it.' },
  loading: 'Loading',
  entries: (count: number) => plural(count, 'entry', 'entries'),
} as const
