import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of approvals. */
export const approvalsPages = defineConsolePages({
  id: 'approvals',
  routes: [{ path: '/approvals', load: async () => (await import('./approvals-page.tsx')).ApprovalsPage }],
})
