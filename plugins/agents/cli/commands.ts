import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

/** `meshctl agents list`. */
export const agentsList = defineApiCommand({
  words: 'agents list',
  summary: 'list agents with their runs of the last day',
  examples: [['agents list -A --name invoice --window 1h', 'agents whose names begin with invoice']],
  options: {
    ...listOptions,
    name: { value: 'PREFIX', help: 'agents whose names begin with it' },
    order: { value: 'ORDER', help: 'name, newest or oldest' },
    window: { value: 'DURATION', help: 'window of the runs, from 1m to 90d; 24h by default' },
  },
  load: async () => (await import('./list-agents.ts')).listAgents,
})
