// Runs in the init container of an agent pod: copies tini, Node.js with its loader and libraries, and the launcher into the shared volume.
// node install.mjs FOLDER [FROM]
import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [target, from = '/mesh'] = process.argv.slice(2)
if (target === undefined) {
  console.error('usage: install.mjs FOLDER [FROM]')
  process.exit(2)
}
mkdirSync(join(target, 'lib'), { recursive: true })
// File by file: a copied link would still point into the launcher's image, which the agent's container does not have.
for (const library of readdirSync(join(from, 'lib')))
  copyFileSync(join(from, 'lib', library), join(target, 'lib', library))
for (const name of ['tini', 'node', 'launcher.mjs']) copyFileSync(join(from, name), join(target, name))
for (const name of ['tini', 'node', 'lib/loader.so']) chmodSync(join(target, name), 0o755)
