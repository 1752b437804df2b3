import { Outlet, createRootRoute, createRoute, createRouter, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import type { ConsoleRoute } from '../contract/page.ts'
import { thirdPartyRoutes } from '../kinds/declared/third-party-routes.ts'
import { provideTabs } from '../kinds/object-tabs/object-tabs.tsx'
import { pluginPages } from '../page-list.ts'
import { ErrorPanel } from '../parts/state/error-panel.tsx'
import { HOME_PATH } from './navigation/key-targets.ts'
import { ownPath } from './own-path.ts'
import { isPublicPath } from './public-path.ts'
import { NotFound } from './shell/not-found.tsx'
import styles from './shell/shell.module.css'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound })
// Shown to who is signed in already; `App` shows the sign-in to others, at each address.
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: AfterSignIn })

provideTabs(pluginPages)

/** The addresses of the console: those of the entries of plugins. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    ...[...pluginPages.flatMap(({ routes }) => routes), ...thirdPartyRoutes].map(toRoute),
  ]),
  defaultErrorComponent: ({ error }) => (
    <ErrorPanel error={error instanceof Error ? error : new Error(String(error))} />
  ),
  scrollRestoration: true,
  // The default reads 5 as a number, and writes "5" with quotes. Addresses are read and typed by people.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: toSearch,
})

/** The shell around a page; a public page stands alone. */
function Frame() {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname })
  if (!isPublicPath(path)) return <Shell />
  return (
    <main className={styles['alone']}>
      <Outlet />
    </main>
  )
}

function toRoute({ path, load }: ConsoleRoute) {
  // Loaded when it is rendered: the router itself would load the code of a page that the shell does not show.
  const Page = lazy(async () => ({ default: await load() }))
  const component = () => (
    <Suspense>
      <Page />
    </Suspense>
  )
  return createRoute({ getParentRoute: () => root, path, component })
}

function toSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const written = new URLSearchParams(given).toString()
  return written === '' ? '' : `?${written}`
}

function AfterSignIn() {
  const next = useRouterState({ select: ({ location: { search } }) => (search as { readonly next?: string }).next })
  const navigate = useNavigate()
  useEffect(() => {
    navigate({ href: ownPath(next) ?? HOME_PATH, replace: true }).catch(() => undefined)
  }, [navigate, next])
  return undefined
}
