import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

/** `meshctl cost breakdown`. */
export const costBreakdown = defineApiCommand({
  words: 'cost breakdown',
  summary: 'list what calls of models cost, by agent or by other dimensions',
  examples: [['cost breakdown -A --by day,agent --top 8', 'the eight most expensive agents, by day']],
  options: {
    ...listOptions,
    by: {
      value: 'DIMENSIONS',
      help: 'one or two of agent, subject, model, provider, tenant, namespace, day, label:KEY',
    },
    top: { value: 'N', help: 'the most expensive values of the last dimension, and one group of the others' },
    from: { value: 'DAY', help: 'first day in UTC; by default that of the month' },
    to: { value: 'DAY', help: 'last day in UTC; today by default' },
  },
  load: async () => (await import('./list-cost.ts')).listCost,
})
