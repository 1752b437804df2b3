import type { ConsolePages, ConsoleRoute } from '../contract/page.ts'
import { newPath } from './kind-entry.ts'
import type { KindEntry } from './kind-entry.ts'

/** The pages of a kind; the code of the engine is loaded when one of them is opened. */
export function defineKindPages(id: string, entry: KindEntry): ConsolePages {
  return { id, routes: kindRoutes(entry) }
}

// Its list, a new object, an object.
function kindRoutes(entry: KindEntry): readonly ConsoleRoute[] {
  const { path, isClusterWide = false } = entry
  return [
    { path, load: async () => (await import('./kind-list.tsx')).listPageOf(entry) },
    { path: newPath(entry), load: async () => (await import('./kind-new.tsx')).newPageOf(entry) },
    {
      path: `${path}/${isClusterWide ? '$name' : '$ns/$name'}`,
      load: async () => (await import('./kind-detail.tsx')).detailPageOf(entry),
    },
  ]
}
