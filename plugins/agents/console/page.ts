import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of agents. */
export const agentPages = defineConsolePages({
  id: 'agents',
  routes: [
    { path: '/agents', load: async () => (await import('./list/agents-page.tsx')).AgentsPage },
    { path: '/agents/new', load: async () => (await import('./new/new-agent-page.tsx')).NewAgentPage },
    { path: '/agents/$ns/$name', load: async () => (await import('./detail/agent-page.tsx')).AgentPage },
  ],
})
