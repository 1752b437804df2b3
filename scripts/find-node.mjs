// Plain JavaScript for Node 18 and newer: it runs before a Node with type stripping is found.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The oldest supported Node.js, as numbers: the version of the platform packages in package.json, used by the tests. */
export const oldestNode = [26, 10]

/** Path of a supported Node.js: this process, else the one installed by npm; undefined without either. */
export function findNode() {
  if (isRecent(process.versions.node)) return process.execPath
  const installed = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(installed)) return undefined
  const asked = spawnSync(installed, ['--version'], { encoding: 'utf8' })
  return asked.status === 0 && isRecent(asked.stdout.trim().slice(1)) ? installed : undefined
}

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
}
