import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { findProgram, programFolder } from './current-program.mjs'
import { isUpdated } from './is-updated.mjs'

const folders = ['core', 'plugins', 'launcher', 'cli', 'ui', 'local', 'schemas', 'deploy', 'test/flows/platform']
const toolFolders = ['scripts/images', 'scripts/console', 'scripts/program']

function makeTree(t: TestContext): { readonly root: string; write(path: string, text: string): void } {
  const folder = tempFolder('program')
  t.after(() => folder.remove())
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder.path, dirname(path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  for (const path of [...folders, ...toolFolders]) write(`${path}/a.ts`, '1')
  for (const path of ['main.ts', 'plugin.ts', 'package-lock.json']) write(path, '{}')
  return { root: folder.path, write }
}

test('a bundle belongs to exactly its sources: a changed module, migration, manifest, lock file or bundler has another', (t) => {
  const { root, write } = makeTree(t)
  const seen = new Set([programFolder(root)])
  for (const path of [
    'core/a.ts',
    'plugins/runs/migrations/0001-runs.ts',
    'deploy/rbac/role.yaml',
    'schemas/generated/a.json',
    'package-lock.json',
    'scripts/images/a.ts',
    'main.ts',
    'plugin.ts',
  ]) {
    write(path, `${path} changed`)
    assert.ok(!seen.has(programFolder(root)), path)
    seen.add(programFolder(root))
  }
})

test('a clone is updated if its sources are committed and have no bundle: edited ones, and a copy without git, are not', (t) => {
  const { root, write } = makeTree(t)
  assert.equal(isUpdated(root), false, 'no git')
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
    const { status, stderr } = spawnSync('git', ['-C', root, ...who, ...args], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  git('init', '--quiet')
  write('.gitignore', 'node_modules\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
  assert.equal(isUpdated(root), true)
  mkdirSync(programFolder(root), { recursive: true })
  assert.equal(isUpdated(root), false, 'its bundle exists')
  write('core/a.ts', 'edited')
  assert.equal(isUpdated(root), false, 'edited')
  git('commit', '--quiet', '--all', '--message', 'second')
  assert.equal(isUpdated(root), true)
})

test('tests and their data are no part of a bundle', (t) => {
  const { root, write } = makeTree(t)
  const before = programFolder(root)
  write('core/a.test.ts', 'a test')
  write('launcher/testdata/agent.ts', 'an agent')
  assert.equal(programFolder(root), before)
})

test('a copy without tests and tools has no bundle, and none is looked for in vain', (t) => {
  const { root } = makeTree(t)
  for (const path of ['test', 'scripts', 'package-lock.json']) rmSync(join(root, path), { recursive: true })
  assert.equal(findProgram(root), undefined)
})

test('only a bundle that exists is found, with and without a slash at the end of the root', (t) => {
  const { root } = makeTree(t)
  assert.equal(findProgram(root), undefined)
  mkdirSync(programFolder(root), { recursive: true })
  assert.equal(findProgram(root), programFolder(root))
  assert.equal(findProgram(`${root}/`), programFolder(root))
})
