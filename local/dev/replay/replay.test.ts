import assert from 'node:assert/strict'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { SessionFixture } from '#plugins/recording/contract/format/append.ts'
import { startDevCommand } from '../testing/run-dev-command.ts'

const agentFile = (prompt: string): string => `name: bot\nmodel: {route: mock-scripted}\nsystemPrompt: ${prompt}\n`

test('a recorded session is replayed: 0 as recorded, 2 with the first difference after an edit of the prompt', async (t) => {
  const dev = startDevCommand(t, { 'agent.yaml': agentFile('Be brief.') }, ['--record', 'run.json'])
  const target = dev.write('target', 'untouched')
  symlinkSync(target, join(dev.folder, 'link.json'))
  for (const input of ['What time is it?', { question: 'again' }]) {
    await dev.invoke({ input })
    await dev.says(/recorded in run\.json/)
  }
  const file = join(dev.folder, 'run.json')
  await dev.says(/(?:recorded in run\.json[^]*){2}/)
  assert.equal(await dev.stop(), 130)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const fixture = JSON.parse(readFileSync(file, 'utf8')) as SessionFixture
  assert.deepEqual([fixture.complete, fixture.problems], [true, []])
  assert.deepEqual([...new Set(fixture.model.map(({ epoch }) => epoch))], [1, 2])
  assert.deepEqual(
    fixture.inputs?.map(({ input }) => input),
    ['What time is it?', { question: 'again' }],
  )

  // As downloaded from a cluster, whose recordings have no inputs.
  const files = { 'run.json': JSON.stringify({ ...fixture, inputs: undefined }), 'agent.yaml': agentFile('Be brief.') }
  const same = startDevCommand(t, files, ['--replay', 'run.json'])
  await same.says(/every recorded call was made as recorded\n/)
  assert.equal(await same.ended(), 0, same.err())

  const edited = { ...files, 'agent.yaml': agentFile('Be verbose.') }
  const changed = startDevCommand(t, edited, ['--replay', 'run.json'])
  await changed.says(
    /different model call 100001: .*nearest recorded: model call 100001, first different at "\/body\/messages\/0\/content"/,
  )
  assert.equal(await changed.ended(), 2)
})

test('a recording that cannot be used is refused with exit code 1, and none is overwritten', async (t) => {
  const folder = tempFolder('dev-replay')
  t.after(folder.remove)
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder.path, name), content)
    return join(folder.path, name)
  }
  const agent = file('agent.yaml', agentFile('Be brief.'))
  const newer = file('newer.json', JSON.stringify({ format: 'mesh.fixture/v2', runId: 'x', model: [], tool: [] }))
  const untilStopped = () => new Promise<undefined>(() => undefined)
  for (const [args, what] of [
    [['--replay', join(folder.path, 'absent.json')], /absent\.json.* cannot be read: ENOENT/],
    [['--replay', newer], /has the format mesh\.fixture\/v2, which this version does not read/],
    [['--replay', file('text.json', 'no JSON')], /is not a recording/],
    [['--replay', folder.path], /has no part of a recording/],
    [['--record', agent], /exists and is no recording/],
    [['--record', folder.path], /cannot be written: EISDIR/],
    [['--record', 'x', '--replay', 'y'], /exclude each other/],
    [
      ['--replay', newer, '--provider', 'real', '--model', 'm', '--base-url', 'http://127.0.0.1:1/v1'],
      /calls no provider/,
    ],
  ] as const) {
    const { code, out, err } = await runCli(['dev', '-f', agent, '-p', '0', ...args], { untilStopped })
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, what)
    assert.equal(err.trimEnd().split('\n').length, 2, err)
  }
  assert.equal(readFileSync(agent, 'utf8'), agentFile('Be brief.'))
})
