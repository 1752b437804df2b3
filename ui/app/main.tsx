import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { ApiProblem } from '../api/api-problem.ts'
import { exchangeCode, onSession, useSession } from '../api/session.ts'
import '../design/fonts.css'
import '../design/tokens.css'
import '../design/base.css'
import './legacy.css'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: (count, error) => count < 2 && isTemporary(error) } },
})

// What one user read is not shown to the next.
onSession(() => queries.clear())

function isTemporary(error: Error): boolean {
  return error instanceof ApiProblem && (error.facts.status === 0 || error.facts.status >= 500)
}

function App() {
  return useSession() === undefined ? <SignIn /> : <RouterProvider router={router} />
}

const element = document.querySelector('#root')
if (element === null) throw new Error('the page has no element #root')
await exchangeCode().catch(() => false)
createRoot(element).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
)
