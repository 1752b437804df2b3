// Runs in the init container of an agent pod: copies tini, Node.js with its loader and libraries, and the launcher into the shared volume.
// node install.mjs FOLDER
import { chmodSync, copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'

const [target] = process.argv.slice(2)
if (target === undefined) {
  console.error('usage: install.mjs FOLDER')
  process.exit(2)
}
for (const name of ['tini', 'node', 'launcher.mjs']) {
  copyFileSync(join('/mesh', name), join(target, name))
}
cpSync('/mesh/lib', join(target, 'lib'), { recursive: true, dereference: true })
for (const name of ['tini', 'node']) chmodSync(join(target, name), 0o755)
