import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { ApiProblem } from '../api/api-problem.ts'
import { startLive } from '../api/live/live.ts'
import { loadSession, signIn, takeCode } from '../api/session.ts'
import type { SessionState } from '../api/session-state.ts'
import '../design/fonts.css'
import '../design/tokens.css'
import '../design/base.css'
import { startKeys } from '../parts/keys/key-registry.ts'
import { startTips } from '../parts/overlay/tip.ts'
import { App } from './app.tsx'
import { beginPage } from './begin-page.ts'
import { keepSession } from './keep-session.ts'

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: (count, error) => count < 2 && isTemporary(error) } },
})

function isTemporary(error: Error): boolean {
  return error instanceof ApiProblem && (error.facts.status === 0 || error.facts.status >= 500)
}

// A used code may be that of a reload: the session that it began counts.
async function begin(): Promise<SessionState | Error> {
  const code = takeCode()
  if (code !== undefined) await signIn({ code }).catch(() => undefined)
  return loadSession().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
}

const element = document.querySelector('#root')
if (element === null) throw new Error('the page has no element #root')
const first = await begin()
const failure = first instanceof Error ? first : undefined
beginPage(queries)
keepSession(first instanceof Error ? undefined : first)
startLive(queries)
startKeys()
startTips()
createRoot(element).render(
  <QueryClientProvider client={queries}>
    <App failure={failure} />
  </QueryClientProvider>,
)
