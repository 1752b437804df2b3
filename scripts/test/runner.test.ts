import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, createReadStream, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const reporter = fileURLToPath(new URL('tap-reporter.mjs', import.meta.url))
const runner = fileURLToPath(new URL('../test.ts', import.meta.url))
const linux = { skip: process.platform === 'linux' ? (false as const) : 'reads /proc' }
const head = `import test, { describe } from 'node:test'\nimport assert from 'node:assert/strict'\n`

/** Runs the runner on one file of the given text. */
function runOn(t: TestContext, source: string, ...flags: readonly string[]) {
  return runOnAll(t, { some: source }, ...flags)
}

/** Runs the runner on files of the given names and texts. */
function runOnAll(t: TestContext, sources: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  return runWith(t, { MESH_TEST_POSTGRES_URL: 'none', MESH_TEST_KUBE: 'none' }, sources, flags)
}

async function runWith(
  t: TestContext,
  variables: NodeJS.ProcessEnv,
  sources: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
) {
  const folder = tempFolder('runner')
  t.after(folder.remove)
  const files = Object.entries(sources).map(([name, source]) => {
    const file = join(folder.path, `${name}.test.mjs`)
    writeFileSync(file, head + source)
    return file
  })
  const env = { ...process.env, ...variables }
  const child = spawn(process.execPath, [runner, ...files, ...flags], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code: Number(code), last: out.trimEnd().split('\n').at(-1) }
}

test('tests are counted, suites and parents of failed tests are not, a skip is printed with its reason', async (t) => {
  const { out, last, code } = await runOn(
    t,
    `describe('suite', () => test('one', () => {}))
     test('skipped', { skip: 'no server' }, () => {})
     test('parent', async (t) => { await t.test('child', () => assert.deepEqual({ a: 1 }, { a: 2 })) })
     test('whole', async (t) => { await t.test('inner', () => {}) })`,
  )
  assert.equal(last, '3 passed, 1 failed, 1 skipped')
  assert.equal(code, 1)
  assert.match(out, /SKIPPED skipped: no server/)
  assert.match(out, /parent > child\n(?:.*\n)*? {4}\+ {3}a: 1,?\n {4}- {3}a: 2/)
})

test('the start of shared servers is no part of a time limit of tap', needs('initdb'), async (t) => {
  // In seconds, from the import of tap; the default of 30 is not enough on a busy machine.
  const variables = { TAP_TIMEOUT: '0.01', MESH_TEST_POSTGRES_URL: undefined, MESH_TEST_KUBE: 'none' }
  const { last, code } = await runWith(t, variables, { one: `test('one', () => {})`, two: `test('two', () => {})` })
  assert.deepEqual([last, code], ['2 passed, 0 failed', 0])
})

test('what a test and its children print is never taken for a result', async (t) => {
  const { last, code } = await runOn(
    t,
    `import { spawnSync } from 'node:child_process'
     process.stdout.write('ok 99 - forged\\n1..99\\nno newline')
     test('one', () => void spawnSync('echo', ['not ok 5 - forged'], { stdio: 'inherit' }))
     test('two', () => console.log('Bail out!'))`,
  )
  assert.deepEqual([last, code], ['2 passed, 0 failed', 0])
})

test('CON9: every result of a file counts, however many there are and whatever it leaves open', async (t) => {
  const { last, code } = await runOn(
    t,
    `for (let n = 0; n < 3_000; n++) test('a name that fills the pipe '.repeat(8) + n, () => {})
     setInterval(() => {}, 1_000_000)`,
  )
  assert.deepEqual([last, code], ['3000 passed, 0 failed', 0])
})

test('CON9: a file stays until its results are read, however late', linux, async (t) => {
  const folder = tempFolder('runner')
  t.after(folder.remove)
  const [file, pipe] = [join(folder.path, 'late.test.mjs'), join(folder.path, 'results')]
  // More than a pipe holds and less than the process buffers besides, so that writing blocks nothing before the end.
  const source = `for (let n = 0; n < 200; n++) test('a name that fills the pipe '.repeat(6) + n, () => {})
    after(() => setTimeout(() => process.stdout.write('waiting'), 500))`
  writeFileSync(file, `${head}import { after } from 'node:test'\n${source}`)
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const end = openSync(pipe, 'r+')
  const child = spawn(process.execPath, [`--test-reporter=${reporter}`, '--test-force-exit', file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', end],
  })
  const exited = once(child, 'exit')
  // Nothing is read until the process has had its time to exit, or has.
  assert.ok(child.stdout)
  await text(child.stdout.take(1))
  const results = createReadStream(pipe, { encoding: 'utf8', fd: openSync(pipe, 'r') })
  closeSync(end)
  const [read] = await Promise.all([text(results), exited])
  assert.match(read, /^# tests 200$/m)
  assert.equal(read.match(/^ok \d+ /gm)?.length, 200)
})

test('a file that takes more memory than it may is killed, and the report says so', linux, async (t) => {
  const { out, last, code } = await runOn(
    t,
    `test('grows', async () => {
       const held = []
       for (;;) {
         held.push(Buffer.alloc(2 ** 24, 1))
         await new Promise((resolve) => setTimeout(resolve, 5))
       }
     })`,
    '--memory',
    '400',
  )
  assert.match(out, /the file ended \(killed, it held more than 400 MB of memory\) before its tests did/)
  assert.deepEqual([last, code], ['0 passed, 1 failed', 1])
})

test('UXL2: --help prints the usage, and an unknown flag is named', async (t) => {
  const help = await runOn(t, '', '--help')
  assert.deepEqual([help.code, help.err], [0, ''])
  assert.match(help.out, /usage: npm test -- /)
  const { code, out, err } = await runOn(t, '', '--nmae')
  assert.deepEqual([code, out], [2, ''])
  assert.match(err, /^Unknown option '--nmae'.*\n\n.*npm test/)
  assert.doesNotMatch(err, /\n {4}at /)
})

for (const [what, source, reason] of [
  ['exits within a test', `test('a', () => {}); test('b', () => process.exit(0))`, /ended \(0\) before its tests did/],
  ['has suites alone', `describe('a', () => {})`, /the file has no test/],
  ['is killed', `test('a', () => process.kill(process.pid, 'SIGKILL'))`, /ended \(SIGKILL\) before its tests did/],
  ['has a syntax error', `test('a', () => {}`, /failed outside its tests \(1\)[^]*SyntaxError/],
  ['throws outside its tests', `test('a', () => {}); throw new Error('outside')`, /outside/],
  ['has an exit code of its own', `test('a', () => {}); process.exitCode = 7`, /failed outside its tests \(7\)/],
  ['has no test', ``, /before its tests did, or has none/],
] as const)
  test(`a file that ${what} is a failure`, async (t) => {
    const { out, code, last } = await runOn(t, source)
    assert.match(out, reason)
    assert.equal(code, 1)
    assert.match(last ?? '', /^\d+ passed, [1-9]\d* failed$/)
  })

test('a test over its time limit fails, with the cause of an error', async (t) => {
  const { out, last } = await runOn(
    t,
    `test('hangs', () => new Promise(() => setTimeout(() => {}, 60_000)))
     test('caused', () => { throw new Error('outer', { cause: new Error('inner') }) })`,
    '--timeout',
    '1',
  )
  assert.equal(last, '0 passed, 2 failed')
  assert.match(out, /timed out after 1000ms/)
  assert.match(out, /outer\n {4}caused by Error: inner/)
})

test('--name runs the tests that match, and none is a failure', async (t) => {
  const source = `test('X1: one', () => {}); test('X2: two', () => assert.fail())`
  const one = await runOn(t, source, '--name', 'X1')
  assert.deepEqual([one.last, one.code], ['1 passed, 0 failed', 0])
  const none = await runOn(t, source, '--name', 'X3')
  assert.deepEqual([none.last, none.code], ['0 passed, 0 failed', 1])
})

test('CON9: files in one process have their own hooks, results and failures', async (t) => {
  const { out, last, code } = await runOnAll(
    t,
    {
      first: `import { before, beforeEach } from 'node:test'
        const seen = []
        before(() => seen.push('before'))
        beforeEach((t) => seen.push(t.name))
        test('one', () => assert.deepEqual(seen, ['before', 'one']))
        test('two', () => assert.equal(globalThis.pid ??= process.pid, process.pid))`,
      second: `describe('suite', () => test('fails', () => assert.fail('broken')))
        test('shares the process', () => assert.equal(globalThis.pid, process.pid))`,
      third: `throw new Error('not loaded')`,
      fourth: ``,
    },
    '--together',
  )
  assert.match(out, /ok {3}\S*first\.test\.mjs \(2 passed,/)
  assert.match(out, /FAIL \S*second\.test\.mjs \(1 passed, 1 FAILED,/)
  assert.match(out, /second\.test\.mjs > suite > fails\n[^]*broken/)
  assert.match(out, /third\.test\.mjs > the file can be loaded\n[^]*not loaded/)
  assert.match(out, /fourth\.test\.mjs > the file has no test/)
  assert.deepEqual([last, code], ['3 passed, 3 failed', 1])
})

for (const [what, source] of [
  ['exits within a test', `test('a', () => process.exit(0))`],
  ['is killed', `test('a', () => process.kill(process.pid, 'SIGKILL'))`],
  ['has an exit code of its own', `test('a', () => {}); process.exitCode = 7`],
  [
    'throws after its tests',
    `test('a', () => void setTimeout(() => { throw new Error('late') }, 1)); test('b', () => {})`,
  ],
] as const)
  test(`a file that ${what} fails no other file of its process`, async (t) => {
    const others = { first: `test('one', () => {})`, third: `test('three', () => {})` }
    const { out, code } = await runOnAll(t, { first: others.first, second: source, third: others.third }, '--together')
    assert.match(out, /ok {3}\S*first\.test\.mjs \(1 passed,/)
    assert.match(out, /FAIL \S*second\.test\.mjs/)
    assert.match(out, /ok {3}\S*third\.test\.mjs \(1 passed,/)
    assert.equal(code, 1)
  })

test('files that fail only in one process are a failure that names them', async (t) => {
  const { out, last, code } = await runOnAll(
    t,
    {
      first: `globalThis.left = true; test('one', () => {})`,
      second: `test('two', () => { if (globalThis.left) process.exit(3) })`,
    },
    '--together',
  )
  assert.match(out, /FAIL 2 files together: \S*first\.test\.mjs \S*second\.test\.mjs/)
  assert.deepEqual([last, code], ['2 passed, 1 failed', 1])
})

// Fails in its first run only.
const flakySource = `import { existsSync, writeFileSync } from 'node:fs'
  const mark = import.meta.filename + '.ran'
  const again = existsSync(mark)
  writeFileSync(mark, '')
  test('now and then', () => assert.ok(again, 'too early'))`

test('a failure is printed in one line at the end too: file, title, message and place', async (t) => {
  const { out, last } = await runOn(t, `test('one', () => assert.fail('broken'))`)
  const [short = '', count] = out.trimEnd().split('\n').slice(-2)
  assert.match(short, /^FAILED \S*some\.test\.mjs: one - broken \(at .*some\.test\.mjs:3:\d+\)?\)$/)
  assert.equal(count, last)
})

test('the files that took most processor time are listed, with that of their children', linux, async (t) => {
  const busy = `import { spawnSync } from 'node:child_process'
    const second = 'while (process.cpuUsage().user < 1_000_000);'
    test('busy', () => void spawnSync(process.execPath, ['-e', second]))`
  const { out } = await runOnAll(t, { idle: `test('one', () => {})`, busy }, '--when-idle')
  assert.match(
    out,
    /\nMost processor time, of \d+\.\d s without shared servers:\n +[1-9]\d*\.\d s \S*busy\.test\.mjs\n/,
  )
})

test('--rerun-failed: a test that passes in its second run is flaky, with its first failure in full', async (t) => {
  const sources = { flaky: flakySource, whole: `test('other', () => {})` }
  const { out, last, code } = await runOnAll(t, sources, '--rerun-failed')
  assert.deepEqual([last, code], ['2 passed, 0 failed', 0])
  assert.match(out, /FAIL \S*flaky\.test\.mjs \(0 passed, 1 FAILED/)
  assert.match(out, /second run, alone: \S*flaky\.test\.mjs\nok /)
  assert.match(out, /passed in their second run:\n\n\S*flaky\.test\.mjs > now and then\n(?: {4}.*\n)* {4}too early\n/)
  assert.match(out, /\nFLAKY \S*flaky\.test\.mjs: now and then - too early \(at .*\)\n1 flaky\n2 passed, 0 failed\n$/)
})

test('without --rerun-failed a flaky test is a failure', async (t) => {
  const { out, last, code } = await runOn(t, flakySource)
  assert.deepEqual([last, code], ['0 passed, 1 failed', 1])
  assert.doesNotMatch(out, /second run|flaky\n/i)
})

test('--rerun-failed: what fails twice is one failure, with the details of both runs', async (t) => {
  const { out, last, code } = await runOn(t, `test('one', () => assert.fail('broken'))`, '--rerun-failed')
  assert.deepEqual([last, code], ['0 passed, 1 failed', 1])
  assert.match(out, /> one\n[^]*> one \(second run\)\n/)
  assert.doesNotMatch(out, /FLAKY|\d flaky/)
})

test('--rerun-failed: of more than sixteen files none is run again', async (t) => {
  const { out, last, code } = await runOnAll(
    t,
    Object.fromEntries([...'abcdefghijklmnopq'].map((name) => [name, flakySource])),
    '--rerun-failed',
  )
  assert.deepEqual([last, code], ['0 passed, 17 failed', 1])
  assert.match(out, /17 files failed, more than 16: no second run/)
})

test('--rerun-failed: files that failed only in one process are run so again', async (t) => {
  const first = `globalThis.left = true; test('one', () => {})`
  const second = `${flakySource.replace(/test\(.*/, '')}; test('two', () => { if (globalThis.left && !again) process.exit(3) })`
  const { out, last, code } = await runOnAll(t, { first, second }, '--together', '--rerun-failed')
  assert.match(out, /\nFLAKY 2 files together: .*\n1 flaky\n/)
  assert.deepEqual([last, code], ['2 passed, 0 failed', 0])
})
