import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of templates. */
export const templatePages = defineConsolePages({
  id: 'templates',
  routes: [{ path: '/templates', load: async () => (await import('./templates-page.tsx')).TemplatesPage }],
})
