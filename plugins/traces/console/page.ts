import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of traces. */
export const tracesPages = defineConsolePages({
  id: 'traces',
  routes: [
    { path: '/traces', load: async () => (await import('./list/traces-page.tsx')).TracesPage },
    { path: '/traces/$id', load: async () => (await import('./trace/trace-page.tsx')).TracePage },
  ],
})
