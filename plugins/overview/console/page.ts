import { defineConsolePages } from '#ui/contract/page.ts'

/** Home: what needs a person, and the day in numbers. */
export const overviewPages = defineConsolePages({
  id: 'home',
  routes: [{ path: '/', load: async () => (await import('./home-page.tsx')).HomePage }],
})
