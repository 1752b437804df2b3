// Finds the packed console of exactly these sources. Plain JavaScript for Node 18 and newer, since the set-up of a clone uses it.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { keyOfSources } from '../program/source-key.mjs'

// Sources outside of plugins, and the scripts that build it.
const shared = ['ui', 'schemas', 'scripts/console', 'package.json', 'package-lock.json']

/** Folder of the packed consoles of a clone. */
export const consolesFolder = (root) => join(root, 'node_modules', '.cache', 'mesh', 'consoles')

/** File of the packed console of the current sources, whether or not it exists; undefined for a copy without its sources. */
export function consoleFile(root) {
  if (!existsSync(join(root, 'ui')) || !existsSync(join(root, 'plugins'))) return undefined
  const rooms = readdirSync(join(root, 'plugins')).map((plugin) => `plugins/${plugin}/console`)
  return join(consolesFolder(root), `${keyOfSources(root, [...shared, ...rooms])}.json.gz`)
}
