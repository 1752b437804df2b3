import { plural } from '#ui/text/plural.ts'

interface CountedRuns {
  readonly count: number
  readonly succeeded: number
  readonly failed: number
  readonly from: string
  readonly to: string
}

const runCount = (count: number): string => plural(count, 'run', 'runs')

/** The words of the pages of runs, in English. */
export const runsText = {
  title: 'Runs',
  search: 'Run id, subject or label',
  waiting: (count: number) => `${count} new`,
  cancel: {
    title: (count: number) => `Cancel ${runCount(count)}?`,
    action: (count: number) => `Cancel ${runCount(count)}`,
    effects: [
      'Each stops at its next step, and so do the runs that it has started.',
      'What a tool has done is not undone.',
    ],
    done: (count: number) => `${runCount(count)} will stop.`,
  },
  empty: 'No runs in this time',
  emptyDetail: 'A run is listed here as soon as an agent is asked for something.',
  emptyAction: 'Show the last 30 days',
  notes: { newest: '50 a page, newest first', oldest: '50 a page, oldest first', longest: '50 a page, longest first' },
  orders: { oldest: 'Oldest first', longest: 'Longest first' },
  states: { all: 'All', running: 'Running', paused: 'Paused', failed: 'Failed', succeeded: 'Succeeded' },
  facets: {
    state: 'State',
    agent: 'Agent',
    failReason: 'Reason',
    trigger: 'Trigger',
    subject: 'For',
    model: 'Model',
    parent: 'Started by run',
    label: 'Label',
    conversationId: 'Conversation',
    minDuration: 'At least',
    hasFeedback: 'Has feedback',
    q: 'Search',
    order: 'Order',
  },
  columns: {
    state: 'State',
    agent: 'Agent',
    input: 'Input',
    subject: 'For',
    trigger: 'Trigger',
    duration: 'Duration',
    tokens: 'Tokens',
    cost: 'Cost',
    started: 'Started',
  },
  histogram: {
    waiting: 'Runs over time',
    sentence: ({ count, succeeded, failed, from, to }: CountedRuns) =>
      `${runCount(count)} from ${from} to ${to}: ${succeeded} succeeded, ${failed} failed, ${count - succeeded - failed} others`,
    bin: (from: string, count: number, failed: number) => `${from}: ${runCount(count)}, ${failed} failed`,
    succeeded: 'succeeded',
    failed: 'failed',
    other: 'others',
    now: 'now',
  },
} as const
