import { getAt } from '#core/json/get-at.ts'
import type { ConsolePage, ReportedPage } from '#core/plugin/console-page.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import { pluginTitle } from '../load/plugin-title.ts'
import { reportedEntry } from './console-entries.ts'
import type { ConsoleEntry } from './console-entries.ts'
import { BootError } from '../load/startup-error.ts'

interface PageInput {
  readonly plugins: readonly AnyPlugin[]
  readonly thirdParty: ReadonlySet<string>
  /** Ids that `GET /api/capabilities` reports. */
  readonly capabilities: readonly string[]
  /** Declarations of the pages of third parties. */
  readonly entries?: readonly ConsoleEntry[]
}

/** The pages of plugins. Throws `BootError` for an id or path that two pages have, and for a capability that does not exist. */
export function consolePagesOf({
  plugins,
  thirdParty,
  capabilities,
  entries = [],
}: PageInput): readonly ReportedPage[] {
  const owned = plugins.flatMap((plugin) => (plugin.console ?? []).map((page) => ({ plugin, page })))
  for (const [index, { plugin, page }] of owned.entries()) {
    const refuse = (why: string): never => {
      const { id } = (page ?? {}) as { readonly id?: unknown }
      throw new BootError(`${pluginTitle(plugin)}: console page ${JSON.stringify(id)?.slice(0, 80)}: ${why}`)
    }
    checkFields(page ?? {}, refuse)
    if (thirdParty.has(plugin.name)) checkOwnNames(plugin.name, page, refuse)
    else if (page.entry !== undefined) refuse('only a page of a third party has an entry')
    if (!capabilities.includes(page.capability))
      refuse(`unknown capability ${JSON.stringify(page.capability)}${didYouMean(page.capability, capabilities)}`)
    const [, first = ''] = page.path.split('/')
    if (reserved.includes(first)) refuse(`its path begins with /${first}, which is not the console's`)
    for (const field of ['id', 'path'] as const) {
      const other = owned.slice(0, index).find((one) => one.page[field] === page[field])
      if (other !== undefined) refuse(`${pluginTitle(other.plugin)} has a page with the same ${field}, ${page[field]}`)
    }
  }
  return owned.map(({ page: { id, title, section, path, capability, tabOf } }) => {
    const entry = entries.find((one) => one.id === id)
    const reported = entry === undefined ? {} : { entry: reportedEntry(entry) }
    return { id, title, section, path, capability, ...(tabOf === undefined ? {} : { tabOf }), ...reported }
  })
}

/** First segments of paths that are served otherwise. */
const reserved: readonly string[] = ['api', 'assets', 'console', 'docs', 'oauth', 'session', 'shared', 'sign-in']

const patterns = {
  id: /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*$/,
  title: /^\P{Cc}+$/u,
  section: /^\P{Cc}*$/u,
  path: /^(?:\/|(?:\/[a-z0-9-]+)+)$/,
  capability: /^[a-z][a-z0-9.-]*$/,
} as const

// Untyped JavaScript may omit them.
function checkFields(page: ConsolePage, refuse: (why: string) => never): void {
  for (const [field, pattern] of Object.entries(patterns)) {
    const value = getAt(page, [field])
    if (typeof value !== 'string' || value.length > 100 || !value.isWellFormed() || !pattern.test(value))
      refuse(`${field} must be a string of at most 100 characters${field === 'path' ? ', such as /audit' : ''}`)
  }
  const tabOf = getAt(page, ['tabOf'])
  if (tabOf !== undefined && tabOf !== 'agent' && tabOf !== 'run') refuse('tabOf must be agent or run')
}

function checkOwnNames(plugin: string, { id, path, section }: ConsolePage, refuse: (why: string) => never): void {
  if (section === '') refuse('its section must have a name')
  if (id !== plugin && !id.startsWith(`${plugin}.`)) refuse(`its id must be ${plugin}, or begin with ${plugin}.`)
  if (path !== `/x/${plugin}` && !path.startsWith(`/x/${plugin}/`)) refuse(`its path must be /x/${plugin}, or below`)
}
