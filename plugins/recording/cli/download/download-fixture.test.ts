import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { keyOfPart, sequenceOf } from '#plugins/recording/contract/format/part-key.ts'
import { endPart, modelPart, runId, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { runCli } from '#cli/testing/run-cli.ts'
import { openS3 } from '#core/objects/testing/adapters.ts'
import type { Fixture, FixturePart } from '#schemas/runs/fixture.ts'
import { needs } from '#test/harness/find-server.ts'
import { startS3 } from '#test/harness/s3.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const other = '019a0000-0000-7000-8000-0000000000ff'

function inFolder(t: TestContext) {
  const folder = tempFolder('download')
  t.after(() => folder.remove())
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCli(['download-fixture', ...args], { env })
  return { path: folder.path, file: (name: string) => join(folder.path, name), run }
}

test(
  'X8: meshctl download-fixture writes the merged recording with mode 0600, whole or not at all',
  needs('versitygw'),
  async (t) => {
    const server = await startS3(t)
    const env = {
      OBJECT_STORE_ADDR: new URL(server.url).host,
      OBJECT_STORE_ACCESS_KEY: server.accessKey,
      OBJECT_STORE_SECRET_KEY: server.secretKey,
    }
    const store = openS3(t, server)
    const put = (part: FixturePart) =>
      store.put(
        keyOfPart({ runId, channel: part.channel, sequence: sequenceOf(part) }),
        Buffer.from(JSON.stringify(part)),
      )
    for (const part of [modelPart(1, 'a'), toolPart(1, { q: 1 }), endPart(1, 1)]) await put(part)
    const { path, file, run } = inFolder(t)
    const kept = file('kept.json')
    writeFileSync(kept, 'untouched')
    symlinkSync(kept, file('out.json'))
    const before = process.umask(0)
    t.after(() => process.umask(before))
    assert.deepEqual(await run([runId, '-o', file('out.json')], env), {
      code: 0,
      out: `${file('out.json')}\n`,
      err: '',
    })
    assert.equal(readFileSync(kept, 'utf8'), 'untouched')
    const found = statSync(file('out.json'))
    assert.deepEqual([found.mode & 0o777, found.isFile()], [0o600, true])
    const fixture = JSON.parse(readFileSync(file('out.json'), 'utf8')) as Fixture
    assert.deepEqual([fixture.model.length, fixture.tool.length, fixture.complete], [1, 1, true])

    await put(modelPart(3, 'c'))
    const cut = await run([runId, '--output', file('out.json')], env)
    assert.deepEqual([cut.code, cut.err], [0, 'the recording is not complete: see "problems" in the file\n'])

    mkdirSync(file('folder'))
    for (const [args, why] of [
      [
        [other, '-o', file('new.json')],
        'meshctl: the run has no recording\nRuns of an agent with recording: {} have one, ',
      ],
      [
        [runId, '-o', file('none/new.json')],
        `meshctl: ${file('none/new.json')} cannot be written: ENOENT\nName another file `,
      ],
      [[runId, '-o', file('folder')], `meshctl: ${file('folder')} cannot be written: EISDIR\nName another file `],
    ] as const) {
      const { code, out, err } = await run(args, env)
      assert.deepEqual([code, out, err.slice(0, why.length), err.split('\n').length], [2, '', why, 3])
    }
    const refused = await run([runId, '-o', file('new.json')], { ...env, OBJECT_STORE_SECRET_KEY: 'wrong-canary' })
    assert.equal(refused.code, 2)
    assert.match(refused.err, /^meshctl: the object store refused the request: 403 \w+\nCheck the keys, [^\n]+\n$/)
    await server.kill9()
    assert.deepEqual(await run([runId, '-o', file('new.json')], env), {
      code: 2,
      out: '',
      err: 'meshctl: the object store does not respond\nCheck OBJECT_STORE_ADDR and OBJECT_STORE_TLS, or try again later.\n',
    })
    assert.deepEqual(readdirSync(path).toSorted(), ['folder', 'kept.json', 'out.json'])
  },
)

test('X8: without the id of a run or an object store the exit code is 1, and no value of a key is printed', async (t) => {
  const { file, run } = inFolder(t)
  const keys = { OBJECT_STORE_ACCESS_KEY: 'a', OBJECT_STORE_SECRET_KEY: 'secret-canary' }
  const env = { OBJECT_STORE_ADDR: '127.0.0.1:1', ...keys }
  for (const [args, given, why] of [
    [[], env, /^meshctl: RUN_ID must be/],
    [['../../etc/passwd'], env, /^meshctl: RUN_ID must be/],
    [[runId.toUpperCase()], env, /^meshctl: RUN_ID must be/],
    [[`${runId}\0`], env, /^meshctl: RUN_ID must be/],
    [[runId], {}, /^meshctl: OBJECT_STORE_ADDR is missing/],
    [[runId], { OBJECT_STORE_ADDR: '127.0.0.1:1' }, /^meshctl: OBJECT_STORE_ACCESS_KEY must be/],
    [
      [runId],
      { ...env, OBJECT_STORE_ADDR: 'http://u:secret-canary@h' },
      /^meshctl: OBJECT_STORE_ADDR must be host:port/,
    ],
    [[runId], { ...env, OBJECT_STORE_BUCKET: '../x' }, /^meshctl: OBJECT_STORE_BUCKET must be/],
    [[runId], { ...env, OBJECT_STORE_TLS: 'yes' }, /^meshctl: OBJECT_STORE_TLS must be true or false/],
    [[runId], { ...env, OBJECT_STORE_SECRET_KEY: 'secret-canary\n' }, /^meshctl: OBJECT_STORE_SECRET_KEY must be/],
  ] as const) {
    const { code, out, err } = await run([...args, '-o', file('x')], given)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, why)
    assert.match(err, /^meshctl: [^\n]+\n(?:Set the OBJECT_STORE_ variables|meshctl runs list has)[^\n]+\n$/)
    assert.doesNotMatch(err, /canary|\n\s+at /)
  }
})
