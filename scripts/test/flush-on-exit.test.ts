import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'

// Fills the pipe until the reader has stopped, so that the result of its only test waits behind it. Then says on stderr what happens
// first: the process exits, or the event loop has turned far more often than the runner needs to end.
const file = `
import test from 'node:test'
import { writeSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
async function wait(turns) {
  for (let left = turns; left > 0; left--) await turn()
  writeSync(2, 'waits')
}
test('the last result', async () => {
  for (let full = 0; full < 500; full++) {
    for (; process.stdout.writableLength === 0; full = 0) process.stdout.write('x'.repeat(64))
    await turn()
  }
  void wait(5_000)
})
setInterval(() => undefined, 1_000_000)
process.on('exit', () => writeSync(2, 'exits'))
`

test('CON9: a test file does not exit before its results are read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-runner-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'last.test.mjs')
  writeFileSync(path, file)
  const preload = new URL('flush-on-exit.ts', import.meta.url).href
  const child = spawn(process.execPath, ['--test-force-exit', '--import', preload, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_TEST_CONTEXT: 'child-v8' },
  })
  const [said] = (await once(child.stderr, 'data')) as [Buffer]
  assert.equal(String(said), 'waits')
  let results = ''
  for await (const chunk of child.stdout) results += String(chunk)
  // enqueued, dequeued, started, completed, passed
  assert.equal(results.split('the last result').length - 1, 5)
})
