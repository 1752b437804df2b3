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

/** Pages of the console. A page of a hidden plugin, or for one, does not exist; its declaration is checked all the same. */
export function pagesOf(
  { built, thirdParty }: PagesInput,
  catalog: readonly MountedEndpoint[],
  entries: readonly ConsoleEntry[],
): readonly ReportedPage[] {
  for (const entry of entries) checkEntryRoutes(entry, catalog)
  const hidden = new Set(built.flatMap(({ plugin, wired }) => (wired.wiring === 'hidden' ? [plugin.name] : [])))
  const plugins = built.map(({ plugin }) => plugin)
  const capabilities = [
    ...plugins.map(({ name }) => name),
    ...catalog.map(({ capability, plugin }) => capability ?? plugin),
  ]
  const ids = plugins.flatMap(({ name, console = [] }) => (hidden.has(name) ? console.map(({ id }) => id) : []))
  return consolePagesOf({ plugins, thirdParty, capabilities, entries }).filter(
    ({ id, capability }) => !ids.includes(id) && !hidden.has(capability),
  )
}
