import { createRootRoute, createRoute, createRouter, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import type { ConsoleRoute } from '../contract/page.ts'
import { pluginPages } from '../page-list.ts'
import { ProblemPanel } from '../parts/problem-panel.tsx'
import { ownPath } from './own-path.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })
const home = createRoute({ getParentRoute: () => root, path: '/console', component: Home })
// Shown to who is signed in already; `App` shows the sign-in to others, at each address.
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: AfterSignIn })

/** The addresses of the console: those of the entries of plugins. */
export const router = createRouter({
  routeTree: root.addChildren([home, signIn, ...pluginPages.flatMap(({ routes }) => routes.map(toRoute))]),
  defaultErrorComponent: ({ error }) => (
    <ProblemPanel error={error instanceof Error ? error : new Error(String(error))} />
  ),
  scrollRestoration: true,
  // The default reads 5 as a number, and writes "5" with quotes. Addresses are read and typed by people.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: toSearch,
})

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
  const text = new URLSearchParams(given).toString()
  return text === '' ? '' : `?${text}`
}

function AfterSignIn() {
  const next = useRouterState({ select: ({ location: { search } }) => (search as { readonly next?: string }).next })
  const navigate = useNavigate()
  useEffect(() => {
    navigate({ href: ownPath(next) ?? '/console', replace: true }).catch(() => undefined)
  }, [navigate, next])
  return undefined
}

function Home() {
  return <p className="dim">Choose a page.</p>
}

function NotFound() {
  return <p>This page does not exist.</p>
}
