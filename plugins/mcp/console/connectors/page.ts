import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of servers that can be connected. */
export const connectorPages = defineConsolePages({
  id: 'connectors',
  routes: [{ path: '/connectors', load: async () => (await import('./connectors-page.tsx')).ConnectorsPage }],
})
