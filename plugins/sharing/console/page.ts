import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of shares. */
export const sharingPages = defineConsolePages({
  id: 'shares',
  routes: [
    { path: '/shares', load: async () => (await import('./shares/shares-page.tsx')).SharesPage },
    {
      path: '/shared/$token',
      isPublic: true,
      load: async () => (await import('./shared/shared-run-page.tsx')).SharedRunPage,
    },
  ],
})
