import { dirname } from 'node:path/posix'
import { groundFolders } from '../layers.ts'
import { isTest } from '../sources.ts'
import type { Source } from '../sources.ts'

/** Modules of core above its ground folders that plugins import, each with its plugins. */
export function importedCore(sources: readonly Source[]): Map<string, Set<string>> {
  const pairs = sources.flatMap(({ path, imports }) => {
    const plugin = isTest(path) ? undefined : /^plugins\/([^/]+)\//.exec(path)?.[1]
    return plugin === undefined ? [] : imports.map(({ target }) => ({ target, plugin }))
  })
  // Ground folders know nothing of the platform: they are libraries, also of plugins.
  const ofCore = pairs.filter(({ target }) => target.startsWith('core/') && !groundFolders.includes(dirname(target)))
  const byModule = Map.groupBy(ofCore, ({ target }) => target)
  return new Map([...byModule].map(([target, users]) => [target, new Set(users.map(({ plugin }) => plugin))]))
}

/** Imports of modules above the ground folders that are not in the list, as `module: plugins`. */
export function internalCore(sources: readonly Source[], open: readonly string[]): string[] {
  return [...importedCore(sources)]
    .filter(([module]) => !open.includes(module))
    .map(([module, plugins]) => `${module}: ${[...plugins].toSorted().join(', ')}`)
    .toSorted()
}
