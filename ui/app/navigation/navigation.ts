import type { Static } from 'typebox'
import type { Capabilities, Capability, NavigationPage } from '../../../schemas/api/identity.ts'
import { capabilityRefusal } from '../../contract/refusal.ts'
import type { CapabilityRefusal } from '../../contract/refusal.ts'
import { HOME_PATH } from './key-targets.ts'

/** Response of `GET /api/capabilities`. */
export type CapabilitiesResponse = Static<typeof Capabilities>

/** A page that is shown: of the server, and of the console. */
export interface ShownPage {
  readonly page: Static<typeof NavigationPage>
  readonly reason: CapabilityRefusal['reason'] | undefined
}

/** A heading of the navigation with its pages. */
export interface NavigationSection {
  readonly title: string
  readonly pages: readonly ShownPage[]
}

// Order by frequency. A section that is not listed comes before the last one.
const order = ['', 'Build', 'Run', 'Observe', 'Quality', 'Connect', 'Platform', 'Settings']

/** Sections that stay folded until they are opened once. */
export const foldedAtFirst: readonly string[] = ['Quality', 'Connect', 'Platform']

/** Sections whose pages stand for themselves: they have no heading and do not fold. */
export const withoutHeading: readonly string[] = ['', 'Settings']

/**
 * Pages by section, in the order of the console; within a section, in that of the server. A page that the caller may not see is not
 * listed; one that is disabled or not configured comes last, and Home first. A page without code in this console, and without a
 * declaration, is left out.
 */
export function sectionsOf(
  { pages, capabilities }: Pick<CapabilitiesResponse, 'pages' | 'capabilities'>,
  entries: readonly { readonly id: string }[],
): readonly NavigationSection[] {
  // A page of a third party is drawn from its declaration.
  const known = pages.filter(
    ({ id, entry, tabOf }) => tabOf === undefined && (entry !== undefined || entries.some((one) => one.id === id)),
  )
  const shown = known
    .map((page) => ({ page, reason: refusalOf(page, capabilities)?.reason }))
    .filter(({ reason }) => reason !== 'denied')
    .toSorted((a, b) => Number(a.reason !== undefined) - Number(b.reason !== undefined))
    .toSorted((a, b) => Number(b.page.path === HOME_PATH) - Number(a.page.path === HOME_PATH))
  const titles = new Set(known.map(({ section }) => section))
  return [...titles]
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((title) => ({ title, pages: shown.filter(({ page }) => page.section === title) }))
    .filter((section) => section.pages.length > 0)
}

function rankOf(section: string): number {
  const rank = order.indexOf(section)
  return rank === -1 ? order.length - 1.5 : rank
}

/** The page of a path: of two, the longer one. */
export function pageAt(
  path: string,
  pages: readonly Static<typeof NavigationPage>[],
): Static<typeof NavigationPage> | undefined {
  return pages
    .filter(({ tabOf, ...page }) => tabOf === undefined && (path === page.path || path.startsWith(`${page.path}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}

/** Why the caller cannot use a page, with the right or the setting that it needs; undefined if it can. */
export function refusalOf(
  { capability }: Static<typeof NavigationPage>,
  capabilities: readonly Capability[],
): CapabilityRefusal | undefined {
  return capabilityRefusal(capability, capabilities)
}
