import { pluginPages } from '../page-list.ts'

const publicPaths = pluginPages.flatMap(({ routes }) =>
  routes.filter(({ isPublic }) => isPublic).map(({ path }) => path),
)

/** Whether a page at a path is shown without a session. A part of a path that begins with `$` is any one. */
export function isPublicPath(path: string): boolean {
  const parts = path.split('/')
  return publicPaths.some((pattern) => {
    const wanted = pattern.split('/')
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('$') || part === parts[at])
  })
}
