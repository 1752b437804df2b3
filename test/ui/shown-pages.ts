import type { DemoContent } from './demo-content.ts'

/** An address of the console, by the path of its route. */
export interface ShownPageAddress {
  readonly name: string
  readonly path: string
}

interface ListedPages {
  readonly id: string
  readonly routes: readonly { readonly path: string }[]
}

/** The routes of all pages of this console. */
export async function consoleRoutePaths(): Promise<readonly string[]> {
  // The types of the list are those of the console's own program.
  const { pluginPages } = (await import(new URL('../../ui/page-list.ts', import.meta.url).href)) as {
    readonly pluginPages: readonly ListedPages[]
  }
  return pluginPages.flatMap(({ routes }) => routes.map(({ path }) => path))
}

/** Addresses of every page of the console; those with parameters show objects of the demo. */
export async function shownPages({ succeeded, failed }: DemoContent): Promise<readonly ShownPageAddress[]> {
  const values: Readonly<Record<string, string>> = {
    ns: 'demo',
    namespace: 'demo',
    id: failed,
    tab: 'about',
  }
  const routes = (await consoleRoutePaths()).filter(isOfDemo)
  return routes.map((path) => {
    const its: Readonly<Record<string, string>> = { ...values, ...namesOfDemo[path.split('/')[1] ?? ''] }
    const own = path.replaceAll(/\$(\w+)/g, (_, name: string) => its[name] ?? '')
    return { name: path, path: path === '/runs/compare' ? `${own}?a=${succeeded}&b=${failed}` : own }
  })
}

// Objects of the demo, by the first segment of their pages. Of other kinds it has none.
const namesOfDemo: Readonly<Record<string, { readonly name: string }>> = {
  agents: { name: 'hello' },
  modelroutes: { name: 'mock' },
}

// The page of a trace leads to that of its run.
function isOfDemo(path: string): boolean {
  return path !== '/traces/$id' && (!path.includes('$name') || (path.split('/')[1] ?? '') in namesOfDemo)
}
