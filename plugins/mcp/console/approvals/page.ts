import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of manifests that wait for an approval. */
export const mcpApprovalPages = defineConsolePages({
  id: 'mcpapprovals',
  routes: [{ path: '/mcpapprovals', load: async () => (await import('./approvals-page.tsx')).ManifestApprovalsPage }],
})
