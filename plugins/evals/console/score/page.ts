import { defineConsolePages } from '#ui/contract/page.ts'

/** The scores of an agent: a tab of its page. */
export const agentScorePages = defineConsolePages({
  id: 'evals.agent',
  routes: [],
  loadTab: async () => (await import('./agent-score.tsx')).AgentScore,
})
