import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { FileRun, TestResult } from '../file-result.ts'
import { createClosures } from './closure.ts'
import { createFingerprints, versionOf } from './fingerprint.ts'
import { openPassed } from './passed.ts'

// Texts of a small project, by path.
const tree = new URL('testdata/tree.json', import.meta.url)
const sources = JSON.parse(readFileSync(tree, 'utf8')) as Readonly<Record<string, string>>

function makeTree(t: TestContext) {
  const folder = tempFolder('changed')
  t.after(() => folder.remove())
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder.path, dirname(path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  for (const [path, text] of Object.entries(sources)) write(path, text)
  const fingerprint = (file: string, env: NodeJS.ProcessEnv = {}): string => createFingerprints(folder.path, env)(file)
  return { root: folder.path, write, fingerprint }
}

test('a changed module, fixture, migration, program, helper or lock file invalidates what reads it, at any distance', (t) => {
  const { write, fingerprint } = makeTree(t)
  for (const path of [
    'core/a.test.ts',
    'core/b.ts',
    'core/c.ts',
    'core/rows.json',
    'local/page.ts',
    'migrations/0001-a.sql',
    'migrations/0002-b.sql',
    'test/harness/h.ts',
    'main.ts',
    'package-lock.json',
  ]) {
    const before = fingerprint('core/a.test.ts')
    write(path, `${sources[path] ?? ''}\n// changed`)
    assert.notEqual(fingerprint('core/a.test.ts'), before, path)
  }
})

test('types and files that a test does not read leave its result valid', (t) => {
  const { write, fingerprint } = makeTree(t)
  const before = fingerprint('core/a.test.ts')
  for (const path of ['core/type.ts', 'core/other.ts', 'deploy/role.yaml']) write(path, 'changed')
  assert.equal(fingerprint('core/a.test.ts'), before)
})

test('a test that lists folders reads every file, also a new one', (t) => {
  const { write, fingerprint } = makeTree(t)
  for (const path of ['deploy/role.yaml', 'deploy/new.yaml', 'core/other.ts']) {
    const before = fingerprint('test/lists.test.ts')
    write(path, `${path} changed`)
    assert.notEqual(fingerprint('test/lists.test.ts'), before, path)
  }
})

test('a test that says which folders it lists reads them, and no others', (t) => {
  const { write, fingerprint } = makeTree(t)
  const before = fingerprint('test/says.test.ts')
  for (const path of ['core/other.ts', 'plugins/runs/routes.ts']) write(path, 'changed')
  assert.equal(fingerprint('test/says.test.ts'), before)
  for (const path of ['deploy/role.yaml', 'plugins/runs/console/page.tsx', 'plugins/more/console/page.tsx']) {
    const last = fingerprint('test/says.test.ts')
    write(path, `${path} changed`)
    assert.notEqual(fingerprint('test/says.test.ts'), last, path)
  }
})

test('settings of the environment that tests read are part of a result, those of one run are not', (t) => {
  const { fingerprint } = makeTree(t)
  const before = fingerprint('core/a.test.ts')
  assert.notEqual(fingerprint('core/a.test.ts', { MESH_LONG: 'true' }), before)
  assert.equal(fingerprint('core/a.test.ts', { MESH_TEST_PROGRAM: '/bundle', HOME: '/root' }), before)
})

test('a server that is copied again leaves a result valid, another build does not', (t) => {
  const { root, write } = makeTree(t)
  const path = join(root, 'etcd')
  write('etcd', 'build 1')
  const before = versionOf(path)
  utimesSync(path, 1, 1)
  assert.deepEqual(versionOf(path), before)
  write('etcd', 'build 2')
  assert.notDeepEqual(versionOf(path), before)
  assert.deepEqual(versionOf(undefined), [])
})

test('a result is kept if the first run of a whole file passed, and a later failure removes it', (t) => {
  const { root, write } = makeTree(t)
  const open = () => openPassed(root, {}, ['core/a.test.ts'])
  const note = (changes: Partial<FileRun>, again?: Partial<FileRun>): boolean => {
    const passed = open()
    passed.note(runOf(changes))
    if (again !== undefined) passed.note(runOf(again))
    passed.save()
    return open().isCurrent('core/a.test.ts')
  }
  const failed = [{ ...passing, ok: false }]
  assert.equal(note({ filtered: true }), false)
  assert.equal(note({}), true)
  assert.equal(note({ tests: failed }, {}), false, 'its second run passed')
  assert.equal(note({}), true)
  assert.equal(note({ ended: 'SIGKILL' }), false)
  assert.equal(note({}), true)
  write('core/b.ts', 'changed')
  assert.equal(open().isCurrent('core/a.test.ts'), false)
})

test('notes that another process wrote by half are no notes', (t) => {
  const { root, write } = makeTree(t)
  write('node_modules/.cache/mesh/passed.json', '{"core/a.test.ts": ')
  assert.equal(openPassed(root, {}, ['core/a.test.ts']).isCurrent('core/a.test.ts'), false)
})

test('programs of tests are part of what starts them: a test of a flow reads main.ts and the launcher', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const { files } = createClosures(root)('test/flows/last-resort.test.ts')
  for (const path of [
    'main.ts',
    'launcher/main.ts',
    'plugins/runs/migrations/0001-runs.ts',
    'deploy/rbac/namespace.yaml',
  ])
    assert.ok(files.has(path), path)
})

test('--changed is refused with --name, whose result is of a part', () => {
  const runner = fileURLToPath(new URL('../../test.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [runner, '--changed', '--name', 'a'], { encoding: 'utf8' })
  assert.equal(status, 2)
  assert.match(stderr, /^--changed .*leave out --long and --name/)
})

const passing: TestResult = { name: 'a', ok: true, ms: 1, skipped: undefined, diagnostics: {} }

function runOf(changes: Partial<FileRun>): FileRun {
  const group = { files: ['core/a.test.ts'] }
  const run = { tests: [passing], announced: 1, cpuMs: 1, index: 0, group, path: 'core/a.test.ts', ms: 1 }
  return { ...run, filtered: false, ended: undefined, output: '', ...changes }
}
