import type { ConsoleRoute } from '../../contract/page.ts'

const load = async () => (await import('./declared-page.tsx')).ThirdPartyPage

/** Addresses of third parties: their declared pages and their kinds. */
export const thirdPartyRoutes: readonly ConsoleRoute[] = [
  { path: '/x/$plugin', load },
  { path: '/x/$plugin/$', load },
]
