import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { fileProblem } from '#core/config/describe-file-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import { TextResponse } from '#core/http/reply/text-response.ts'
import type { TabbedPage } from '#core/plugin/console-page.ts'
import { DeclaredPage } from '#core/plugin/declared-page.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { checkOf } from '#core/validation/validate.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import { pluginTitle } from '../load/plugin-title.ts'
import { BootError } from '../load/startup-error.ts'

/** The entry file of a console page, as it was at the start. */
export interface ConsoleEntry {
  readonly plugin: AnyPlugin
  readonly id: string
  readonly text: string
  readonly page: DeclaredPage
  readonly tabOf: TabbedPage | undefined
}

const maxBytes = 65_536
const check = checkOf(DeclaredPage)

/** Reads the entries of the console pages of a third party. Throws `BootError` with plugin, page and field. */
export function readConsoleEntries(plugin: AnyPlugin): readonly ConsoleEntry[] {
  const { console: pages = [] } = plugin
  return pages.flatMap((page) => {
    const { id, entry, tabOf } = page ?? {}
    if (entry === undefined) return []
    const refuse = refusal(plugin, id)
    const text = readEntry(entry, refuse)
    return [{ plugin, id, text, page: parsePage(text, refuse), tabOf }]
  })
}

type Refuse = (why: string) => never

function refusal(plugin: AnyPlugin, id: string): Refuse {
  return (why) => {
    throw new BootError(
      `${pluginTitle(plugin)}: the entry of its console page ${JSON.stringify(id)?.slice(0, 80)} ${why}`,
    )
  }
}

function readEntry(entry: unknown, refuse: Refuse): string {
  if (!(entry instanceof URL) || entry.protocol !== 'file:')
    return refuse('must be the URL of a file, such as that of ./page.json')
  try {
    if (statSync(entry).size > maxBytes) return refuse(`is larger than ${maxBytes} bytes`)
    return readFileSync(entry, 'utf8')
  } catch (error) {
    if (error instanceof BootError) throw error
    return refuse(`cannot be read: ${fileProblem(error)}`)
  }
}

function parsePage(text: string, refuse: Refuse): DeclaredPage {
  let page: unknown
  try {
    page = JSON.parse(text)
  } catch {
    return refuse('is not JSON')
  }
  const [error] = check(page)
  if (error !== undefined)
    refuse(`is not a declared page: ${error.pointer.slice(1).replaceAll('/', '.')}: ${error.detail}`)
  const found = page as DeclaredPage
  const shows = found.layout === 'list' ? 'columns' : 'fields'
  if (found[shows] === undefined) refuse(`has the layout ${found.layout} without ${shows}`)
  return found
}

/** The route of an entry, below the path of its plugin. Its bytes are those of the integrity. */
export function entryEndpoint({ id, text }: ConsoleEntry): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: `/console/${id}`,
    summary: `Get the declaration of the console page ${id}.`,
    authz: { kind: 'bearer' },
    response: { 200: DeclaredPage },
    handle: async () => new TextResponse('application/json', text) as never,
  })
}

/** Path and integrity of an entry, as `GET /api/capabilities` reports them. */
export function reportedEntry({ plugin, id, text }: ConsoleEntry): {
  readonly path: string
  readonly integrity: string
} {
  const hash = createHash('sha256').update(text).digest('base64')
  return { path: `/api/x/${plugin.name}/console/${id}`, integrity: `sha256-${hash}` }
}

/** What the console knows of the object of a page, for the paths of a declaration. */
const placeholders = { page: ['{ns}', '{name}'], agent: ['{ns}', '{name}'], run: ['{id}'] } as const

/** Refuses an entry whose source or actions are no routes of its plugin, or whose source has a parameter that the console does not know. */
export function checkEntryRoutes({ plugin, id, page, tabOf }: ConsoleEntry, catalog: readonly MountedEndpoint[]): void {
  const own = catalog.filter((one) => one.plugin === plugin.name)
  const routes = own.map(
    ({ prefix, endpoint: { method, url } }) => `${method} ${prefix}${url.replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  const used = [`GET ${page.source}`, ...(page.actions ?? []).map(({ method, path }) => `${method} ${path}`)]
  const missing = used.find((route) => !routes.includes(route))
  const refuse = refusal(plugin, id)
  if (missing !== undefined) refuse(`names ${missing}, which is no route of the plugin${didYouMean(missing, routes)}`)
  const known: readonly string[] = placeholders[tabOf ?? 'page']
  const unknown = page.source.match(/\{\w+\}/g)?.find((name) => !known.includes(name))
  if (unknown !== undefined) refuse(`has ${unknown} in its source; the console fills in ${known.join(' and ')}`)
}
