import { plural } from '#ui/text/plural.ts'

/** The words of the list of agents, in English. */
export const agentListText = {
  title: 'Agents',
  create: 'New agent',
  search: 'Filter by name',
  state: 'State',
  states: { Ready: 'Ready', '!Ready': 'Not ready', Degraded: 'Degraded', EvalGated: 'Held by gate' },
  order: 'Order',
  orders: { name: 'Name', newest: 'Newest', oldest: 'Oldest' },
  count: (count: number) => plural(count, 'agent', 'agents'),
  note: 'Agents that you may read',
  runs: (runs: number, failed: number) =>
    `${plural(runs, 'run', 'runs')} in 24 h, ${failed.toLocaleString('en')} failed`,
  columns: {
    agent: 'Agent',
    status: 'Status',
    route: 'Model route',
    runs: 'Runs, 24 h',
    success: 'Succeeded',
    p95: 'p95',
    cost: 'Cost, 24 h',
    score: 'Score',
    revision: 'Revision',
    rolledOut: 'Rolled out',
  },
  empty: 'No agents yet',
  emptyDetail: 'An agent is a model with instructions, tools and limits. Start from a recipe, a template or a file.',
} as const
