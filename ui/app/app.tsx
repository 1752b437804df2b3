import { useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../api/session.ts'
import { Dialog } from '../parts/overlay/dialog.tsx'
import { ErrorPanel } from '../parts/state/error-panel.tsx'
import { text } from '../text/en.ts'
import { isPublicPath } from './public-path.ts'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'

/** The console for who is signed in, and the sign-in for others. A session that ends meanwhile leaves the page mounted, with what was typed. */
export function App({ failure }: { readonly failure: Error | undefined }) {
  const state = useSession()
  const shown = useShownUser(state?.session?.username, state?.ended ?? null)
  // Its right is its address, whether there is a session or not.
  if (isPublicPath(location.pathname)) return <RouterProvider router={router} />
  if (state === undefined) {
    return (
      <main>
        <ErrorPanel error={failure ?? new Error(text.signIn.unknown)} onRetry={() => location.reload()} />
      </main>
    )
  }
  if (shown === undefined) return <SignIn state={state} />
  return (
    <>
      <RouterProvider router={router} />
      {state.session === null ? <EndedDialog user={shown} /> : undefined}
    </>
  )
}

/** The user whose pages are shown; undefined before the sign-in and after a sign-out. */
function useShownUser(username: string | undefined, ended: string | null): string | undefined {
  const queries = useQueryClient()
  const [shown, setShown] = useState(username)
  useEffect(() => {
    if (username === shown) return
    // A sign-out has no reason. What one user read is not shown to the next.
    if (username === undefined && ended !== null) return
    if (username === undefined) queries.clear()
    else queries.resetQueries().catch(() => undefined)
    setShown(username)
  }, [queries, username, shown, ended])
  return username === undefined && ended === null ? undefined : shown
}

function EndedDialog({ user }: { readonly user: string }) {
  const queries = useQueryClient()
  const state = useSession()
  if (state === undefined) return undefined
  const done = (username: string): void => {
    // Failed requests of the same user are sent again; for another user the page is loaded again.
    if (username === user) queries.invalidateQueries().catch(() => undefined)
    else location.reload()
  }
  return (
    // It cannot be closed: the pages behind it have no session.
    <Dialog title={text.signIn.again} isTitled={false} onClose={() => undefined}>
      <SignIn state={state} onDone={done} />
    </Dialog>
  )
}
