import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { writeImage } from './archive.ts'
import { runs } from './images.ts'
import { file, skeleton, toTree } from './tree.ts'

const run = { entrypoint: ['/bin/program'], user: '65532:65532' }

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

for (const [target, image] of Object.entries(runs)) {
  test(`the Dockerfile's target ${target} starts as the archive of npm run images does`, () => {
    const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
    const stage = (name: string): string => text.split(/^FROM /m).find((part) => part.includes(` AS ${name}\n`)) ?? ''
    const value = (name: string, word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(stage(name))?.[1]
    assert.deepEqual(JSON.parse(value(target, 'ENTRYPOINT') ?? 'null'), image.entrypoint)
    assert.equal(value('base', 'USER'), image.user)
    assert.equal(value(target, 'WORKDIR'), 'workdir' in image ? image.workdir : '/')
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...image.env }
    const given = (value(target, 'ENV') ?? '').split(' ').map((pair) => pair.split('='))
    assert.deepEqual(Object.fromEntries(given), env)
    const programs = image.entrypoint.filter((word) => word.startsWith('/mesh/') && !word.endsWith('.mjs'))
    for (const program of programs) assert.match(stage('programs'), new RegExp(` ${program}\\b`))
    assert.match(stage(target), new RegExp(` ${target === 'platform' ? '/app/' : image.entrypoint.at(-1)}$`, 'm'))
  })
}

test('the build context holds the sources that the bundles import, and no overlay, dump or key', () => {
  const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
  const lines = read('.dockerignore').split('\n')
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const folders = Object.keys((JSON.parse(read('package.json')) as { imports: object }).imports).map((name) =>
    name.replace(/^#|\/\*$/g, ''),
  )
  assert.equal(
    lines.find((line) => !/^(?:#|$)/.test(line)),
    '*',
  )
  const wanted = ['package.json', 'package-lock.json', '.npmrc', 'main.ts', 'plugin.ts', 'scripts', ...folders]
  assert.deepEqual(allowed.toSorted(), wanted.filter((name) => name !== 'test').toSorted())
})

test('PODA6: the command `mesh` runs the program of the image with its arguments', () => {
  const text = readFileSync(new URL('mesh', import.meta.url), 'utf8')
  assert.match(text, /^#!\/mesh\/node\n/)
  assert.match(text, /main\(process\.argv\.slice\(2\)\)/)
  assert.equal(runs.platform.entrypoint.at(-1), '/app/main.js')
})
