import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of cost. */
export const costPages = defineConsolePages({
  id: 'cost',
  routes: [{ path: '/cost', load: async () => (await import('./cost-page.tsx')).CostPage }],
})
