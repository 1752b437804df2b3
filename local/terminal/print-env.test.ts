import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { EnvValues } from '#core/host/commands/all-command.ts'
import type { CommandInput } from '#core/plugin/command.ts'
import { takeLock } from '#core/database/lock-file.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openDataFolder } from '../data-folder/data-folder.ts'
import { nearestDataFolder, readAccess, removeRunning, writeRunning } from '../data-folder/running-platform.ts'
import { printEnv, toShell } from './print-env.ts'

const addresses = { url: 'http://127.0.0.1:1', gatewayUrl: 'http://127.0.0.1:2', adminUrl: 'http://127.0.0.1:3' }
const inputOf = (data: string) => ({ values: { as: 'developer', data, output: 'json' } }) as CommandInput<EnvValues>
const hostile = `it's $(touch made) "\\\n\`touch made\``

test('R2-UX-4: access is read from the data folder of a running platform only', (t) => {
  const { path, remove } = tempFolder('env')
  t.after(remove)
  const data = join(path, hostile)
  assert.throws(() => readAccess(data, 'developer'), /no platform runs on this folder/)
  const { folder, release } = openDataFolder(data, false)
  t.after(release)
  assert.throws(() => readAccess(data, 'developer'), /is starting or stopping/)
  writeRunning(folder, addresses)
  writeFileSync(folder.tokens, JSON.stringify({ developer: 'd' }))
  assert.deepEqual(readAccess(data, 'developer'), {
    ...addresses,
    token: 'd',
    kubeconfig: join(folder.kubeconfigs, 'developer'),
  })
  assert.throws(() => readAccess(data, 'viewer'), /has no token of viewer/)
  release()
  assert.throws(
    () => readAccess(data, 'developer'),
    /no platform runs on this folder/,
    'killed: its addresses are left',
  )
  const again = openDataFolder(data, false)
  t.after(again.release)
  assert.throws(() => readAccess(data, 'developer'), /is starting or stopping/, 'the addresses of an earlier start')
  writeRunning(again.folder, addresses)
  removeRunning(again.folder)
  assert.throws(() => readAccess(data, 'developer'), /is starting or stopping/)
})

test('R2-UX-4: the data folder is that of the nearest folder above, else the usual one', (t) => {
  const { path, remove } = tempFolder('env')
  t.after(remove)
  const below = join(path, 'a', 'b')
  mkdirSync(below, { recursive: true })
  assert.equal(nearestDataFolder(below), '.mesh')
  for (const [at, holder] of [
    [path, below],
    [join(path, 'a'), below],
  ] as const) {
    mkdirSync(join(at, '.mesh'))
    writeFileSync(join(at, '.mesh', 'tokens.json'), '{}')
    assert.equal(nearestDataFolder(holder), join(at, '.mesh'))
  }
})

test('R2-UX-4: a lock that a live process holds names it', (t) => {
  const { path, remove } = tempFolder('env')
  t.after(remove)
  const { release } = takeLock(join(path, 'lock'))
  t.after(release)
  assert.throws(() => readAccess(path, 'developer'), /is starting or stopping/)
})

test('R2-UX-4: the printed lines are safe in sh and bash, and api sends one type of body', (t) => {
  const { path, remove } = tempFolder('env')
  t.after(remove)
  // Prints its arguments, one a line.
  writeFileSync(join(path, 'curl'), `#!/bin/sh\nprintf '<%s>\\n' "$@"\n`)
  chmodSync(join(path, 'curl'), 0o755)
  const lines = toShell({ ...addresses, token: 'secret', kubeconfig: hostile })
  for (const shell of ['sh', 'bash']) {
    const run = (commands: string): string =>
      execFileSync(shell, ['-euc', `${lines}\n${commands}`], {
        cwd: path,
        env: { PATH: `${path}:${process.env['PATH']}` },
        encoding: 'utf8',
      })
    assert.equal(run('printf %s "$KUBECONFIG"; test ! -e made'), hostile)
    const typesOf = (commands: string) => run(commands).match(/<Content-Type: [^>]+>/g) ?? []
    assert.deepEqual(typesOf('api "$URL/api/agents"'), [])
    assert.deepEqual(typesOf('api -X DELETE "$URL/api/agents/a/b"'), [])
    assert.deepEqual(typesOf(`api "$URL" -d '{"a": "Content-Type: x"}'`), ['<Content-Type: application/json>'])
    assert.deepEqual(typesOf('api "$URL" --data-binary @f'), ['<Content-Type: application/json>'])
    assert.deepEqual(typesOf(`api -d x -H 'Content-Type: text/csv' "$URL"`), ['<Content-Type: text/csv>'])
    assert.match(run('api "$URL"'), /<Authorization: Bearer secret>/)
  }
})

test('R2-UX-26: a platform that is starting is waited for, which is said once', async (t) => {
  const { path, remove } = tempFolder('env')
  t.after(remove)
  const { folder, release } = openDataFolder(path, false)
  t.after(release)
  writeFileSync(folder.tokens, JSON.stringify({ developer: 'd' }))
  const [printed, said, waits] = [[] as string[], [] as string[], Promise.withResolvers<undefined>()]
  const err = (text: string): void => {
    said.push(text)
    waits.resolve(undefined)
  }
  const env = () => printEnv({ ...inputOf(path), out: (text) => printed.push(text), err })
  const first = env()
  await waits.promise
  assert.deepEqual(printed, [])
  writeRunning(folder, addresses)
  assert.equal(await first, 0)
  assert.deepEqual(JSON.parse(printed.join('')), {
    ...addresses,
    token: 'd',
    kubeconfig: join(folder.kubeconfigs, 'developer'),
  })
  assert.deepEqual(said, [`mesh: waiting for the platform on ${path}, which is starting or stopping ...\n`])
  await env()
  assert.equal(said.length, 1, 'nothing is said of one that runs')
})

test('R2-UX-26: a platform that ends before it has started is not waited for', async (t) => {
  const { path, remove } = tempFolder('env')
  t.after(remove)
  const { release } = openDataFolder(path, false)
  t.after(release)
  const env = printEnv({ ...inputOf(path), out: assert.fail, err: release })
  await assert.rejects(env, /no platform runs on this folder/)
})
