import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'

// Replaces npm ci: appends its pid to a file, and exits when the test has created `go-on`.
const npm = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs')
appendFileSync('npm-runs', process.pid + '\\n')
const timer = setInterval(() => {
  if (!existsSync('go-on')) return
  clearInterval(timer)
  mkdirSync('node_modules', { recursive: true })
  writeFileSync('node_modules/.package-lock.json', '{"packages": {}}')
}, 20)
`

/** A clone with the scripts of the set-up only. */
function makeClone(folder: string): void {
  const own = ['setup.mjs', 'setup-lock.mjs', 'find-node.mjs', 'installed.mjs']
  const program = ['source-key', 'current-program', 'is-updated'].map((name) => `program/${name}.mjs`)
  for (const name of [...own, 'console/current-console.mjs', ...program])
    cpSync(join(import.meta.dirname, '..', name), join(folder, 'scripts', name))
  writeFileSync(join(folder, 'scripts', 'prepare.ts'), '')
  writeFileSync(join(folder, 'package-lock.json'), '{"packages": {}}')
  writeFileSync(join(folder, 'npm.js'), npm)
}

function startSetup(folder: string) {
  const env = { ...process.env, npm_execpath: join(folder, 'npm.js') }
  const child = spawn(process.execPath, ['scripts/setup.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return { child, exit: once(child, 'exit'), said: text(child.stderr) }
}

test('R2-UX-27: two set-ups of a clone at once install once; the second says for which process it waits', async (t) => {
  const { path, remove } = tempFolder('setup')
  t.after(remove)
  makeClone(path)
  const first = startSetup(path)
  await until(() => existsSync(join(path, 'npm-runs')) || first.child.exitCode !== null)
  assert.equal(first.child.exitCode, null)
  const second = startSetup(path)
  await once(second.child.stderr, 'readable')
  writeFileSync(join(path, 'go-on'), '')
  assert.deepEqual(await first.exit, [0, null])
  assert.deepEqual(await second.exit, [0, null])
  assert.match(await first.said, /^Installing what package-lock.json names/)
  const waited = `Waiting for process ${first.child.pid}, which installs the packages of this folder ...\n`
  assert.equal(await second.said, waited)
  assert.equal(readFileSync(join(path, 'npm-runs'), 'utf8').trim().split('\n').length, 1)
  assert.ok(!existsSync(join(path, '.mesh-setup.lock')))
})

test('R2-UX-27: the lock of a process that was killed is taken over', async (t) => {
  const { path, remove } = tempFolder('setup')
  t.after(remove)
  makeClone(path)
  writeFileSync(join(path, 'go-on'), '')
  const killed = spawn(process.execPath, ['-e', ''])
  await once(killed, 'exit')
  writeFileSync(join(path, '.mesh-setup.lock'), `${killed.pid}`)
  const setup = startSetup(path)
  assert.deepEqual(await setup.exit, [0, null])
  assert.doesNotMatch(await setup.said, /Waiting/)
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((done) => setTimeout(done, 20))
}
