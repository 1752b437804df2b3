import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { runForTest } from '../testing/run-command.ts'
import { coverPackage } from './package-files.ts'
import { loadThirdParties } from './third-party.ts'

const run = promisify(execFile)
const from = '@acme/mesh-x'
const folderOf = 'node_modules/@acme/mesh-x'

/** A plugin whose service imports another module once it is asked. */
const plugin = (imports = '', load = 'await import("./late.js")', more = ''): string => `${imports}
import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({
  contract: 1, name: 'mesh-x', settings: mesh.Type.Object({}), ${more}
  create: () => ({ load: async () => { ${load} } }),
})
`
const files = {
  'package.json': JSON.stringify({ name: from, version: '1.0.0', type: 'module', exports: './index.js' }),
  'index.js': plugin("import { join } from 'node:path'\nimport './lib/second.js'"),
  'late.js': 'export default 1\n',
  'lib/second.js': 'export const second = 1\n',
}

async function write(t: TestContext, added: Readonly<Record<string, string>>): Promise<string> {
  const folder = tempFolder('integrity')
  t.after(folder.remove)
  for (const [path, text] of Object.entries(added)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), text)
  }
  return folder.path
}

const packaged = (changed: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries({ ...files, ...changed }).map(([path, text]) => [`${folderOf}/${path}`, text]))

const integrityOf = async (folder: string): Promise<string> => (await coverPackage(join(folder, folderOf))).integrity

const load = (folder: string, integrity: string, name = from) =>
  loadThirdParties([{ from: name, integrity }], { folder, plugins: [], profile: 'hardened' })

/** Loads the plugin and has it import what it imports later. */
async function loadAll(folder: string, integrity: string, name = from): Promise<void> {
  await (
    await start(folder, integrity, name)
  )()
}

/** The import that the plugin makes later. */
async function start(folder: string, integrity: string, name = from): Promise<() => Promise<unknown>> {
  const [loaded] = await load(folder, integrity, name)
  assert.ok(loaded !== undefined)
  return (loaded.create({} as never, {}, {}) as { load(): Promise<unknown> }).load
}

test('R2-C3: the hash of an installed package is that of its packed files, and sha256sum computes it', async (t) => {
  const folder = await write(t, {
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`source/${path}`, text])),
    'mesh.yaml': `plugins: ['${from}']\n`,
  })
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(folder, 'source') })
  const installed = join(folder, folderOf)
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(folder, 'acme-mesh-x-1.0.0.tgz'), '-C', installed, '--strip-components=1'])
  const env = { MESH_CONFIG: join(folder, 'mesh.yaml') }
  const integrity = await integrityOf(folder)
  const line = `- { from: "${from}", integrity: ${integrity} }\n`
  assert.deepEqual(await runForTest('plugins integrity', [], { env }), { code: 0, out: line, err: '' })
  const { stdout } = await run('sh', ['-c', 'find . -type f | cut -c3- | LC_ALL=C sort | xargs sha256sum'], {
    cwd: installed,
  })
  assert.equal(integrity, `sha256-${createHash('sha256').update(stdout).digest('base64')}`)
  await loadAll(folder, integrity)
})

test('R2-C3: a file that is changed, added, removed, renamed or moved has another hash', async (t) => {
  const folder = await write(t, packaged())
  const before = await integrityOf(folder)
  const reversed = await write(t, Object.fromEntries(Object.entries(packaged()).toReversed()))
  assert.equal(await integrityOf(reversed), before, 'the order in which files were made is no part of it')
  await mkdir(join(reversed, folderOf, 'node_modules/dep'), { recursive: true })
  await mkdir(join(reversed, folderOf, 'empty'))
  assert.equal(await integrityOf(reversed), before, 'npm packs neither')
  const at = (path: string): string => join(folder, folderOf, path)
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a second file': () => writeFile(at('lib/second.js'), 'export const second = 2\n'),
    'the ends of lines': () => writeFile(at('late.js'), 'export default 1\r\n'),
    'one more': () => writeFile(at('lib/more.js'), ''),
    'a hidden one': () => writeFile(at('.hidden'), ''),
    'modules of a folder that is not the root': async () => {
      await mkdir(at('lib/node_modules'))
      await writeFile(at('lib/node_modules/x.js'), '')
    },
    'one less': () => rm(at('lib/second.js')),
    'another name': () => rename(at('late.js'), at('later.js')),
    'bytes of one in another': async () => {
      await writeFile(at('late.js'), 'export default 1\nexport const ')
      await writeFile(at('lib/second.js'), 'second = 1\n')
    },
  }
  const seen = new Set([before])
  for (const [what, change] of Object.entries(changes)) {
    await cp(at(''), join(folder, 'kept'), { recursive: true })
    await change()
    const changed = await integrityOf(folder)
    assert.ok(!seen.has(changed), what)
    seen.add(changed)
    await assert.rejects(load(folder, before), { name: 'BootError', message: /its integrity is .*, the settings say/ })
    await rm(at(''), { recursive: true })
    await rename(join(folder, 'kept'), at(''))
  }
  assert.equal(await integrityOf(folder), before)
})

test('R2-C3: links, pipes and names that cannot be printed are refused', async (t) => {
  const refused: readonly (readonly [RegExp, (folder: string) => Promise<unknown>])[] = [
    [/link is neither a file nor a folder/, (folder) => symlink('../other.js', join(folder, 'link'))],
    [/lib2 is neither a file nor a folder/, (folder) => symlink('lib', join(folder, 'lib2'))],
    [/pipe is neither a file nor a folder/, (folder) => run('mkfifo', [join(folder, 'pipe')])],
    [/the name "a\\nb" has a control character/, (folder) => writeFile(join(folder, 'a\nb'), '')],
    [/is not UTF-8/, (folder) => writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), '')],
  ]
  for (const [message, change] of refused) {
    const folder = await write(t, packaged())
    await change(join(folder, folderOf))
    const { code, err } = await runForTest('plugins integrity', [from], {
      env: { MESH_CONFIG: join(await emptySettings(folder)) },
    })
    assert.match(err, message)
    assert.match(err, /plugin @acme\/mesh-x: its files cannot be hashed/)
    assert.equal(code, 1)
  }
})

async function emptySettings(folder: string): Promise<string> {
  await writeFile(join(folder, 'mesh.yaml'), '{}\n')
  return join(folder, 'mesh.yaml')
}

test('R2-C3: a plugin loads nothing that its integrity does not cover, at the start or later', async (t) => {
  const uncovered: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['a file beside the package', { 'index.js': plugin("import '../../other.js'") }],
    ['a dependency', { 'index.js': plugin("import 'dep'") }],
    ['a dependency below the package', { 'index.js': plugin("import 'own'") }],
    ['a dependency of a second file', { 'lib/second.js': "import 'dep'\n" }],
    ['a later import', { 'index.js': plugin('', "await import('dep')") }],
    ['a later require', { 'index.js': plugin(`import { createRequire } from 'node:module'`, requireDep) }],
    ['code in a URL', { 'index.js': plugin('', `await import('data:text/javascript,export default 1')`) }],
  ]
  for (const [what, changed] of uncovered) {
    const folder = await write(t, {
      ...packaged(changed),
      'node_modules/other.js': 'export default 1\n',
      'node_modules/dep/package.json': '{"name":"dep","main":"index.cjs"}',
      'node_modules/dep/index.cjs': 'module.exports = 1\n',
      [`${folderOf}/node_modules/own/package.json`]: '{"name":"own","main":"index.cjs"}',
      [`${folderOf}/node_modules/own/index.cjs`]: 'module.exports = 1\n',
    })
    await assert.rejects(loadAll(folder, await integrityOf(folder)), /integrity does not cover/, what)
  }
})
const requireDep = 'createRequire(import.meta.url)("dep")'

test('R2-C3: the integrity of a path is that of one file, which imports no other', async (t) => {
  const folder = await write(t, {
    'one.mjs': plugin("import 'node:path'", ''),
    'two.mts': plugin("import './one.mjs'"),
    'types.mts': plugin('const one: number = 1\nexport { one }', ''),
    'migrating.mjs': plugin('', '', "migrations: new URL('./migrations/', import.meta.url),"),
    'migrations/0001-one.js': 'export const breaking = false\nexport const up = async () => undefined\n',
  })
  const env = { MESH_CONFIG: await emptySettings(folder) }
  const hashOf = async (name: string): Promise<string> => {
    const { out } = await runForTest('plugins integrity', [name], { env })
    return /integrity: (\S+)/.exec(out)?.[1] ?? ''
  }
  await loadAll(folder, await hashOf('./one.mjs'), './one.mjs')
  await loadAll(folder, await hashOf('./types.mts'), './types.mts')
  await assert.rejects(load(folder, await hashOf('./two.mts'), './two.mts'), /imports \.\/one\.mjs, which/)
  const migrating = await hashOf('./migrating.mjs')
  await assert.rejects(load(folder, migrating, './migrating.mjs'), /does not cover its migrations/)
})

test('R2-C3: a file that changes after the start is not loaded, nor is a new one', async (t) => {
  const folder = await write(t, packaged({ 'index.js': plugin("import './lib/second.js'", loadMigrations) }))
  const migrations = join(folder, folderOf, 'migrations')
  await mkdir(migrations)
  await writeFile(join(migrations, '0001-one.js'), 'export default 1\n')
  const integrity = await integrityOf(folder)
  await loadAll(folder, integrity)
  await writeFile(join(migrations, '0002-two.js'), 'export default 2\n')
  await assert.rejects(import(join(migrations, '0002-two.js')), /integrity does not cover/)
  const later = await start(await again(folder), integrity)
  await writeFile(join(folder, 'again', folderOf, 'late.js'), 'export default 3\n')
  await assert.rejects(later(), /late\.js has changed since its integrity was checked/)
})
const loadMigrations = 'await import("./migrations/0001-one.js")\nawait import("./late.js")'

async function again(folder: string): Promise<string> {
  const copy = join(folder, 'again')
  await cp(join(folder, folderOf), join(copy, folderOf), { recursive: true })
  await rm(join(copy, folderOf, 'migrations/0002-two.js'))
  return copy
}

test('R2-C3: the command runs no code of the plugins', async (t) => {
  const folder = await write(t, {
    ...packaged({ 'index.js': "throw new Error('it ran')\n" }),
    'mesh.yaml': `profile: hardened\nplugins: ['${from}', ./gone.mjs]\n`,
  })
  const { code, out, err } = await runForTest('plugins integrity', [], {
    env: { MESH_CONFIG: join(folder, 'mesh.yaml') },
  })
  assert.equal(out, `- { from: "${from}", integrity: ${await integrityOf(folder)} }\n`)
  assert.match(err, /plugin \.\/gone\.mjs: its files cannot be hashed/)
  assert.equal(code, 1)
})
