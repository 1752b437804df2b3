import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of connected providers. */
export const providerPages = defineConsolePages({
  id: 'providers',
  routes: [{ path: '/providers', load: async () => (await import('./providers-page.tsx')).ProvidersPage }],
})
