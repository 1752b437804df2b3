import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

test('dev refuses what it cannot use with exit code 1, one line that says what, and one that says what to do', async (t) => {
  const folder = tempFolder('dev-refused')
  t.after(folder.remove)
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder.path, name), content)
    return join(folder.path, name)
  }
  mkdirSync(join(folder.path, 'folder'))
  const agent = file('agent.yaml', 'name: bot\nmodel: {route: mock}\n')
  const binary = file('binary.json', Buffer.from([0x7b, 0xff, 0x00, 0x1b]))
  // Without content: as sparse as the file system allows.
  const huge = file('huge.json', '')
  truncateSync(huge, 300 * 1024 * 1024)
  const taken = new URL(await listen(t, createServer())).port
  const dist = join(folder.path, 'dist')
  mkdirSync(dist)
  symlinkSync(agent, join(dist, 'index.html'))
  const ui = ['-f', agent, '--ui']
  const real = ['-f', agent, '--provider', 'real']
  for (const [args, what, todo] of [
    [[], /agent\.yaml: does not exist$/, /--file names/],
    [['-f', join(folder.path, 'folder')], /folder: is a folder$/, /--file names/],
    [['-f', file('b.yaml', Buffer.from([0xff, 0x00]))], /is not UTF-8 text/, /--file names/],
    [['-f', file('e.yaml', '# nothing\n')], /e\.yaml: is empty/, /meshctl schema/],
    [['-f', file('big.yaml', 'x'.repeat(300_000))], /at most 262144 bytes/, /--file names/],
    [['-f', file('alias.yaml', 'name: &a bot\nmodel: {route: m}\n')], /alias\.yaml:1:10: anchors/, /meshctl schema/],
    [['-f', agent, '--record', '/dev/zero'], /zero: the file exists and is no recording$/, /Name another file/],
    [['-f', agent, '--record', join(folder.path, 'none/run.json')], /cannot be written: ENOENT$/, /Name a file/],
    [['-f', agent, '--record', binary], /binary\.json: the file exists and is no recording$/, /Name another file/],
    [['-f', agent, '--replay', binary], /binary\.json" is not a recording/, /dev --record FILE/],
    [['-f', agent, '--replay', huge], /huge\.json" has more than 256 MiB$/, /dev --record FILE/],
    [['-f', agent, '--record', huge], /huge\.json: the file exists and is no recording$/, /Name another file/],
    [['-f', huge], /huge\.json: must have at most 262144 bytes$/, /--file names/],
    [
      ['-f', file('two.yaml', 'name: a\nmodel: {route: m}\n---\nname: b\nmodel: {route: m}\n')],
      /more than one agent/,
      /its own file/,
    ],
    [['-f', file('f.yaml', 'name: a\nmodle: x\n')], /f\.yaml:2:1: \/modle: unknown field/, /meshctl schema/],
    [['-f', file('x.yaml', 'name: "\\e[31m"\n')], /x\.yaml:1:/, /meshctl schema/],
    [['-f', agent, '-p', taken], new RegExp(`port ${taken} is taken`), /Choose another with --port/],
    [['-f', agent, '--model', 'x'], /--model is of --provider real/, /Add --provider real/],
    [real, /needs --model/, /Add --model/],
    [[...real, '--model', 'm'], /without --base-url needs --key-env/, /Add --key-env/],
    [[...real, '--model', 'm', '--key-env', 'NO_KEY'], /variable NO_KEY \(--key-env\) is not set/, /export NO_KEY/],
    [[...real, '--model', 'm', '--key-env', 'sk-1234'], /must be the name of a variable/, /OPENAI_API_KEY/],
    [[...real, '--model', 'm', '--base-url', 'http://u:p4ss@h/'], /--base-url must be/, /For example/],
    [['-f', agent, '--ui-port', '8888'], /: --ui-port is of --ui$/, /Add --ui/],
    [['-f', agent, '--ui-dist', 'ui/dist'], /: --ui-dist is of --ui$/, /Add --ui/],
    [[...ui, '--replay', agent], /--replay ends by itself/, /Leave one of them out/],
    [[...ui, '-p', '9999', '--ui-port', '9999'], /--port and --ui-port are both 9999/, /Choose another/],
    [[...ui, '--ui-dist', join(folder.path, 'none\u001b')], /none\\u001b does not exist/, /Build the console/],
    [[...ui, '--ui-dist', agent], /agent\.yaml is not a folder/, /Build the console/],
    [[...ui, '--ui-dist', join(folder.path, 'folder')], /folder has no index\.html/, /Build the console/],
    [[...ui, '--ui-dist', dist], /index\.html that leads out of the folder/, /Build the console/],
    [[...ui, '-p', '0', '--ui-port', taken], new RegExp(`port ${taken} is taken`), /another with --ui-port/],
  ] as const) {
    const untilStopped = () => new Promise<undefined>(() => undefined)
    const { code, out, err } = await runCli(['dev', ...args], { untilStopped })
    assert.deepEqual([code, out], [1, ''], err)
    const [first = '', second = '', ...more] = err.split('\n')
    assert.match(first, what)
    assert.match(second, todo)
    assert.deepEqual(more, [''], err)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(err, /p4ss|sk-1234|[\u0000-\u0009\u000b-\u001f]/)
  }
  for (const args of [
    ['-p', 'x'],
    ['-p', '65536'],
    ['--ui', '--ui-port', '-1'],
    ['--ui', '--ui-port', '1e9'],
    ['--provider', 'other'],
    ['--file'],
    ['--unknown'],
    ['x'],
  ])
    assert.equal((await runCli(['dev', ...args])).code, 1, args.join(' '))
})
