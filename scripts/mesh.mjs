#!/usr/bin/env node
// The command `mesh` of a checkout (`npx mesh ...`), on a Node with type stripping, even if started by an older Node. Plain JavaScript for
// that reason.
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findNode } from './find-node.mjs'

const setup = spawnSync(process.execPath, [fileURLToPath(new URL('setup.mjs', import.meta.url))], {
  stdio: ['ignore', 2, 2],
})
if (setup.status !== 0) process.exit(setup.status ?? 1)
// As `npm start` does; V8 reads these flags at process start.
const heap = ['--heap-growing-percent=100', '--no-memory-reducer', '--max-semi-space-size=4']
const main = fileURLToPath(new URL('program/start.mjs', import.meta.url))
const child = spawn(findNode(), [...heap, main, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// A terminal sends Ctrl-C to the child as well.
process.on('SIGINT', () => undefined)
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
