import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { PackedFile } from '#core/http/console/console-files.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { consoleFile } from './current-console.mjs'
import { currentPackedConsole } from './current-packed.ts'

function makeTree(t: Scope): { readonly root: string; write(path: string, text: string): void } {
  const { path: root, remove } = tempFolder('console')
  t.after(remove)
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const path of ['ui/a.ts', 'plugins/runs/console/page.ts', 'schemas/a.ts', 'package-lock.json']) write(path, '1')
  return { root, write }
}

test('a packed console belongs to exactly its sources; the rest of a plugin and tests are none of them', (t) => {
  const { root, write } = makeTree(t)
  const seen = new Set([consoleFile(root)])
  for (const path of ['ui/a.ts', 'plugins/runs/console/page.ts', 'plugins/cost/console/page.ts', 'package-lock.json']) {
    write(path, `${path} changed`)
    assert.ok(!seen.has(consoleFile(root)), path)
    seen.add(consoleFile(root))
  }
  const before = consoleFile(root)
  for (const path of ['plugins/runs/index.ts', 'ui/a.test.ts', 'ui/node_modules/x/a.js']) write(path, 'other')
  assert.equal(consoleFile(root), before)
})

test('a copy without sources of the console has none', async (t) => {
  const { root } = makeTree(t)
  rmSync(join(root, 'ui'), { recursive: true })
  assert.equal(consoleFile(root), undefined)
  await assert.rejects(currentPackedConsole(root), /has no sources of the console/)
})

test('a console is built once; what is kept is what a BFF serves, and that of other sources is removed', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const packed = await currentPackedConsole(root)
  const file = consoleFile(root) ?? assert.fail('no sources')
  assert.deepEqual(readFileSync(file), packed)
  writeFileSync(join(dirname(file), '0000000000000000.json.gz'), 'of other sources')
  rmSync(file)
  const print = fileURLToPath(new URL('print-console.ts', import.meta.url))
  const printed = spawnSync(process.execPath, [print], { maxBuffer: 32 * 1024 * 1024 }).stdout
  const files = JSON.parse(gunzipSync(printed).toString('utf8')) as readonly PackedFile[]
  assert.equal(files[0]?.path, '/')
  assert.ok(existsSync(file))
  assert.deepEqual(readdirSync(dirname(file)), [file.split('/').at(-1)])
})
