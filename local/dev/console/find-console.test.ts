import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { findConsole } from './find-console.ts'

const values = { ui: true, 'ui-port': undefined, 'ui-dist': undefined, port: 8080, replay: undefined }
const missing = () => Promise.reject(new Error('no such file'))

test('the console is that of ui/dist, else that of the package; without both, dev says what to install', async (t) => {
  const folder = tempFolder('find-console')
  const before = process.cwd()
  t.after(() => {
    process.chdir(before)
    folder.remove()
  })
  process.chdir(folder.path)
  assert.equal(await findConsole({ ...values, ui: false }, missing), undefined)
  assert.deepEqual(await findConsole(values, async () => 'packed'), { port: 8888, folder: undefined })
  await assert.rejects(findConsole(values, missing), {
    message: /^this installation has no console.*\n.*npm install -g @mesh\.dev\/mesh.*$/,
  })
  // A folder without a page is no console.
  mkdirSync(join(folder.path, 'ui', 'dist'), { recursive: true })
  await assert.rejects(findConsole(values, missing), { message: /has no console/ })
  writeFileSync(join(folder.path, 'ui', 'dist', 'index.html'), '')
  const own = realpathSync(join(folder.path, 'ui', 'dist'))
  assert.deepEqual(await findConsole({ ...values, 'ui-port': 0, port: 0 }, missing), { port: 0, folder: own })
  symlinkSync('ui/dist', join(folder.path, 'linked'))
  assert.equal((await findConsole({ ...values, 'ui-dist': 'linked' }, missing))?.folder, own)
})
