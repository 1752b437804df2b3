import { defineConsolePages } from '#ui/contract/page.ts'

/** The page of the topology. */
export const topologyPages = defineConsolePages({
  id: 'topology',
  routes: [{ path: '/topology', load: async () => (await import('./topology-page.tsx')).TopologyPage }],
})
