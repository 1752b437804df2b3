import type { QueryClient } from '@tanstack/react-query'
import { capabilitiesQuery } from '../api/capabilities.ts'
import { currentSession } from '../api/session.ts'
import { pluginPages } from '../page-list.ts'
import { refusalOf } from './navigation/navigation.ts'
import { pageOfPath } from './navigation/page-of-path.ts'
import { isAtPath } from './navigation/path-pattern.ts'

/** Asks for the code of the page at once, beside the first drawing of the shell. The code of a page that the caller cannot use is not loaded. */
export function beginPage(queries: QueryClient): void {
  if (currentSession() === undefined) return
  const { pathname } = location
  const route = pluginPages.flatMap(({ routes }) => routes).find(({ path }) => isAtPath(pathname, path))
  if (route === undefined) return
  queries
    .fetchQuery(capabilitiesQuery)
    .then(({ pages, capabilities }) => {
      const page = pageOfPath(pathname, pages)
      return page === undefined || refusalOf(page, capabilities) !== undefined ? undefined : route.load()
    })
    // The shell asks for both again, and shows what failed.
    .catch(() => undefined)
}
