import { dirname } from 'node:path/posix'
import { isTest } from '../sources.ts'
import type { Source } from '../sources.ts'

const fewestPlugins = 3

/** Folders of core that belong elsewhere: no file of core, of an entry or of the launcher's shell imports them, and fewer than three plugins do. */
export function misplacedCore(sources: readonly Source[]): string[] {
  const product = sources.filter(({ path }) => !isTest(path))
  const folders = new Set(product.map(({ path }) => dirname(path)).filter((folder) => folder.startsWith('core/')))
  return [...folders].filter((folder) => !folder.endsWith('/migrations') && !belongs(folder, product)).toSorted()
}

function belongs(folder: string, product: readonly Source[]): boolean {
  const users = product.filter(
    ({ path, imports }) => !path.startsWith(`${folder}/`) && imports.some(({ target }) => dirname(target) === folder),
  )
  const owners = new Set(users.map(({ path }) => ownerOf(path)))
  return ['core', 'shell', 'entry'].some((owner) => owners.has(owner)) || owners.size >= fewestPlugins
}

/** The plugin of a file, or `core`, `shell` of the launcher, `entry`. */
function ownerOf(path: string): string {
  const plugin = /^plugins\/([^/]+)\//.exec(path)?.[1]
  if (plugin !== undefined) return plugin
  if (path.startsWith('core/')) return 'core'
  return path.startsWith('launcher/') ? 'shell' : 'entry'
}
