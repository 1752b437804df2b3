import { pluginPages } from '../../page-list.ts'
import { isAtPath } from './path-pattern.ts'
import { pageAt } from './navigation.ts'
import type { CapabilitiesResponse } from './navigation.ts'

type Pages = CapabilitiesResponse['pages']

/** The page of a path: one that has the path below it, or one that has a route elsewhere, such as the return from an authorization server. */
export function pageOfPath(path: string, pages: Pages): Pages[number] | undefined {
  const entry = pluginPages.find(({ routes }) => routes.some((route) => isAtPath(path, route.path)))
  return pageAt(path, pages) ?? pages.find(({ id }) => id === entry?.id)
}
