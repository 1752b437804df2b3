import type { Static } from 'typebox'
import type { Capabilities } from '../../schemas/api/identity.ts'

/** The pages of a caller, and which of them it may use. */
export type KnownPages = Pick<Static<typeof Capabilities>, 'pages' | 'capabilities'>

/** Whether an address of the console leads to a page that the caller may use. Pure. */
export function isReachable(to: string, { pages, capabilities }: KnownPages): boolean {
  const [path = ''] = to.split('?')
  return pages.some(
    (page) =>
      page.tabOf === undefined &&
      (path === page.path || path.startsWith(`${page.path}/`)) &&
      capabilities.some(({ id, enabled }) => id === page.capability && enabled),
  )
}
