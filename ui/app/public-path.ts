import { pluginPages } from '../page-list.ts'
import { isAtPath } from './navigation/path-pattern.ts'

const publicPaths = pluginPages.flatMap(({ routes }) =>
  routes.filter(({ isPublic }) => isPublic).map(({ path }) => path),
)

/** Whether a page at a path is shown without a session. */
export function isPublicPath(path: string): boolean {
  return publicPaths.some((route) => isAtPath(path, route))
}
