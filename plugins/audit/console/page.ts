import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of the audit log. */
export const auditPages = defineConsolePages({
  id: 'audit',
  routes: [{ path: '/audit', load: async () => (await import('./audit-page.tsx')).AuditPage }],
})
