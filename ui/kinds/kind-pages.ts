import type { ConsolePages, ConsoleRoute } from '../contract/page.ts'
import { newPath } from './kind-entry.ts'
import type { KindEntry, KindParts } from './kind-entry.ts'

type LoadParts = () => Promise<KindParts>

/** The pages of a kind; the code of the engine, and of what the plugin adds, is loaded when one of them is opened. */
export function defineKindPages(id: string, entry: KindEntry, loadParts?: LoadParts): ConsolePages {
  return { id, routes: kindRoutes(entry, loadParts) }
}

/** A list of a kind, a new object, an object. */
export function kindRoutes(entry: KindEntry, loadParts: LoadParts = async () => ({})): readonly ConsoleRoute[] {
  const { path, isClusterWide = false } = entry
  return [
    { path, load: async () => (await import('./kind-list.tsx')).listPageOf(entry, await loadParts()) },
    { path: newPath(entry), load: async () => (await import('./kind-new.tsx')).newPageOf(entry, await loadParts()) },
    {
      path: `${path}/${isClusterWide ? '$name' : '$ns/$name'}`,
      load: async () => (await import('./kind-detail.tsx')).detailPageOf(entry, await loadParts()),
    },
  ]
}
