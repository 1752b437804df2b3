import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of the consents of the caller: the list, the question for one, and the return from an authorization server. */
export const mcpGrantPages = defineConsolePages({
  id: 'mcpgrants',
  routes: [
    { path: '/mcpgrants', load: async () => (await import('./grants-page.tsx')).GrantsPage },
    { path: '/consent/$ns/$server', load: async () => (await import('./consent-page.tsx')).ConsentPage },
    { path: '/oauth/callback', load: async () => (await import('./callback-page.tsx')).ConsentCallbackPage },
  ],
})
