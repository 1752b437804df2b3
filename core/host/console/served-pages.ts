import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { ReportedPage } from '#core/plugin/console-page.ts'
import type { Built } from '../load/role-container.ts'
import { checkEntryRoutes, readConsoleEntries } from './console-entries.ts'
import type { ConsoleEntry } from './console-entries.ts'
import { consolePagesOf } from './console-pages.ts'

/** Plugins whose pages are served. */
export interface PagesInput {
  readonly built: readonly Built[]
  readonly thirdParty: ReadonlySet<string>
}

/** Declarations of the pages of third parties. */
export function entriesOf({ built, thirdParty }: PagesInput): readonly ConsoleEntry[] {
  return built.flatMap(({ plugin, wired }) =>
    thirdParty.has(plugin.name) && wired.wiring !== 'hidden' ? readConsoleEntries(plugin) : [],
  )
}

/** Pages that are known once every plugin is mounted. */
export function lazyPages() {
  let pages: readonly ReportedPage[] = []
  return {
    read: () => pages,
    set: (found: readonly ReportedPage[]): void => {
      pages = found
    },
  }
}

/** What of the plugins is served. */
export interface MountedParts {
  readonly catalog: readonly MountedEndpoint[]
  /** Capabilities of parts that are hidden. */
  readonly hidden: readonly string[]
}

/** Pages of the console. A page of a hidden plugin or part, or for one, does not exist; its declaration is checked all the same. */
export function pagesOf(
  { built, thirdParty }: PagesInput,
  mounted: MountedParts,
  entries: readonly ConsoleEntry[],
): readonly ReportedPage[] {
  const { catalog } = mounted
  for (const entry of entries) checkEntryRoutes(entry, catalog)
  const offered = catalog.map(({ capability, plugin }) => capability ?? plugin)
  const hidden = new Set([
    ...built.flatMap(({ plugin, wired }) => (wired.wiring === 'hidden' ? [plugin.name] : [])),
    ...mounted.hidden.filter((id) => !offered.includes(id)),
  ])
  const plugins = built.map(({ plugin }) => plugin)
  const capabilities = [...plugins.map(({ name }) => name), ...offered, ...hidden]
  const ids = plugins.flatMap(({ name, console = [] }) => (hidden.has(name) ? console.map(({ id }) => id) : []))
  return consolePagesOf({ plugins, thirdParty, capabilities, entries }).filter(
    ({ id, capability }) => !ids.includes(id) && !hidden.has(capability),
  )
}
