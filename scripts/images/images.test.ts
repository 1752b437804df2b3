import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { writeImage } from './archive.ts'
import { file, libraries, skeleton, toTree } from './tree.ts'

const run = { entrypoint: ['/bin/program'], user: '65532:65532' }
const linuxOnly = { skip: process.platform !== 'linux' && 'images are made on Linux' }

test('an image archive holds what its digests name, and the same content gives the same digest', (t) => {
  const { path, remove } = tempFolder('image')
  t.after(remove)
  writeFileSync(join(path, 'program'), 'hello')
  const long = `${'deep/'.repeat(30)}file`
  const make = (name: string): string => {
    const layers = [
      toTree([...skeleton, file('bin/program', join(path, 'program'))]),
      toTree([file(long, join(path, 'program'), 0o644)]),
    ]
    return writeImage(join(path, name), { ref: 'mesh.local/x:1', architecture: 'amd64', layers, run })
  }
  assert.equal(make('one.tar'), make('two.tar'))
  mkdirSync(join(path, 'out'))
  execFileSync('tar', ['xf', join(path, 'one.tar'), '-C', join(path, 'out')])
  const json = (name: string) => JSON.parse(readFileSync(join(path, 'out', name), 'utf8'))
  const blob = (digest: string) => `blobs/sha256/${digest.replace('sha256:', '')}`
  const manifest = json(blob(json('index.json').manifests[0].digest))
  for (const { digest, size } of [manifest.config, ...manifest.layers]) {
    const bytes = readFileSync(join(path, 'out', blob(digest)))
    assert.deepEqual([`sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes.length], [digest, size])
  }
  assert.deepEqual(json(blob(manifest.config.digest)).config.Entrypoint, ['/bin/program'])
  assert.equal(json('manifest.json')[0].RepoTags[0], 'mesh.local/x:1')
  const [first, second] = manifest.layers.map(({ digest }: { digest: string }) => join(path, 'out', blob(digest)))
  assert.match(
    execFileSync('tar', ['tvf', first], { encoding: 'utf8' }),
    /-rwxr-xr-x 0\/0 +5 1970-01-01 .* bin\/program/,
  )
  assert.equal(execFileSync('tar', ['xOf', second, long], { encoding: 'utf8' }), 'hello')
})

test(
  'what the init container copies runs Node.js by its own loader and libraries, without a link to elsewhere',
  linuxOnly,
  (t) => {
    const { path, remove } = tempFolder('install')
    t.after(remove)
    const [from, target] = [join(path, 'from'), join(path, 'shared')]
    const { entries, loader } = libraries('lib', process.execPath)
    mkdirSync(join(from, 'lib'), { recursive: true })
    for (const [name, node] of entries) if (node.kind === 'file') copyFileSync(node.from, join(from, name))
    symlinkSync(basename(loader), join(from, 'lib/loader.so'))
    symlinkSync(process.execPath, join(from, 'node'))
    for (const name of ['tini', 'launcher.mjs']) writeFileSync(join(from, name), '')
    execFileSync(process.execPath, [fileURLToPath(new URL('install.mjs', import.meta.url)), target, from])
    const copied = readdirSync(target, { recursive: true, withFileTypes: true })
    assert.deepEqual(
      copied.filter((entry) => entry.isSymbolicLink()),
      [],
    )
    const lib = join(target, 'lib')
    const maps = 'fs.readFileSync("/proc/self/maps", "utf8")'
    const args = ['--library-path', lib, join(target, 'node'), '-p', maps]
    const loaded = execFileSync(join(lib, 'loader.so'), args, { encoding: 'utf8' }).match(/\/\S+\.so[.\d]*$/gm) ?? []
    assert.ok(loaded.length > 0)
    assert.deepEqual(
      loaded.filter((library) => !library.startsWith(lib)),
      [],
    )
  },
)
