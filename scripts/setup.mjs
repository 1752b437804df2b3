// Prepares a clone: installs the packages of the lock file if it changed, builds the console if its sources changed, prepares the first start of
// a version, and checks for a supported Node.js.
// Plain JavaScript for Node 18 and newer without dependencies, since it runs before anything is installed. Prints to stderr.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { consoleFile } from './console/current-console.mjs'
import { findNode, oldestNode } from './find-node.mjs'
import { isInstalled } from './installed.mjs'
import { isUpdated } from './program/is-updated.mjs'
import { takeSetupLock } from './setup-lock.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}node_modules/.mesh-setup`

if (!isCurrent()) {
  takeSetupLock(`${root}.mesh-setup.lock`, (pid) => {
    console.error(`Waiting for process ${pid}, which installs the packages of this folder ...`)
  })
  if (!isCurrent()) setUp()
}
if (findNode() === undefined) fail(noNode())
buildConsole()
if (isUpdated(root)) prepare('Preparing the first start of this version (once) ...')

function setUp() {
  if (!isInstalledByHand()) install()
  prepare('Preparing the first start (once) ...')
  writeFileSync(stamp, lockHash())
}

function isCurrent() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash()
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
}

// After a manual `npm ci` there is no stamp, but npm's own record of the installation.
function isInstalledByHand() {
  const record = `${root}node_modules/.package-lock.json`
  if (!existsSync(record)) return false
  try {
    return isInstalled(
      JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')),
      JSON.parse(readFileSync(record, 'utf8')),
    )
  } catch {
    return false
  }
}

function install() {
  console.error('Installing what package-lock.json names (npm ci --ignore-scripts) ...')
  const npm = process.env.npm_execpath
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // npm's script on this Node if npm started this process. Its output is redirected to stderr, since stdout belongs to the command.
  const [program, before] = npm?.endsWith('.js')
    ? [process.execPath, [npm]]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []]
  const { status, error } = spawnSync(program, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: program.endsWith('.cmd'),
  })
  if (status !== 0) fail(`npm ci failed${error ? `: ${error.message}` : ''}. The lines above say why.`)
}

// The preparation only saves time: the first start creates whatever is missing.
function prepare(message) {
  const node = findNode()
  if (node === undefined) return
  console.error(message)
  spawnSync(node, [`${root}scripts/prepare.ts`], { cwd: root, stdio: ['ignore', 2, 2] })
}

// It only saves time: without it the first request waits for the console.
function buildConsole() {
  const file = consoleFile(root)
  if (file === undefined || existsSync(file) || process.env.MESH_UI === 'false') return
  console.error('Building the console ...')
  spawnSync(findNode(), [`${root}scripts/console/build-console.ts`], { cwd: root, stdio: ['ignore', 2, 2] })
}

function noNode() {
  const wanted = oldestNode.join('.')
  const where = `${process.platform}-${process.arch}`
  return `This project runs on Node.js >= ${wanted}; this is ${process.version}, and none was installed for ${where}. Install Node.js ${wanted}, or remove node_modules and try again with the npm registry in reach.`
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
