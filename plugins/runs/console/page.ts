import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of runs. */
export const runsPages = defineConsolePages({
  id: 'runs',
  routes: [
    { path: '/runs', load: async () => (await import('./list/runs-page.tsx')).RunsPage },
    { path: '/runs/compare', load: async () => (await import('./compare/compare-page.tsx')).ComparePage },
    { path: '/runs/$id', load: async () => (await import('./run/run-page.tsx')).OneRunPage },
  ],
})
