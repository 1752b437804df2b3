// Runs a program of a checkout on a Node with type stripping, even if started by an older Node. Plain JavaScript for that reason.
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findNode } from '../find-node.mjs'

/** Sets the checkout up, runs a script of this folder with the arguments of the process, and exits as it does. */
export function spawnProgram(script, flags) {
  const setup = spawnSync(process.execPath, [fileURLToPath(new URL('../setup.mjs', import.meta.url))], {
    stdio: ['ignore', 2, 2],
  })
  if (setup.status !== 0) process.exit(setup.status ?? 1)
  const main = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(findNode(), [...flags, main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to the child as well.
  process.on('SIGINT', () => undefined)
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
