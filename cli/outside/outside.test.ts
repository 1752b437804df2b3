import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCli } from '#cli/testing/run-cli.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'

const start = fileURLToPath(import.meta.resolve('../../scripts/program/start-meshctl.mjs'))
const example = fileURLToPath(import.meta.resolve('../../examples/plugins/oncall/meshctl-oncall.js'))

/** A folder of programs, and `meshctl` as a process that has it on its PATH. */
function programs(t: Scope) {
  const { path, remove } = tempFolder('outside')
  t.after(remove)
  const add = (name: string, text: string): void => {
    writeFileSync(join(path, name), text)
    chmodSync(join(path, name), 0o755)
  }
  add('meshctl', `#!/bin/sh\nexec '${process.execPath}' '${start}' "$@"\n`)
  symlinkSync(process.execPath, join(path, 'node'))
  const env = { ...process.env, PATH: ['', path, '/usr/bin', '/bin'].join(delimiter), NODE_OPTIONS: '' }
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [start, ...args], { env: { ...env, ...more }, cwd: path })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, out, err })),
    )
    return { child, ended, seen: () => out }
  }
  return { path, add, run, env }
}

test('a program of the PATH is a command with its own arguments and exit code', { timeout: 60_000 }, async (t) => {
  const { add, run, path } = programs(t)
  add('meshctl-hello', '#!/bin/sh\necho "hello $* [$NO_COLOR]"\nexit 7\n')
  add('meshctl-hello-world', '#!/bin/sh\necho "world $*"\n')
  add('meshctl-runs-list', '#!/bin/sh\necho never\n')
  add('meshctl-broken', '#!/no/such/program\n')
  add('meshctl-dead', '#!/bin/sh\nkill -9 $$\n')
  writeFileSync(join(path, 'meshctl-plain'), 'no program')
  mkdirSync(join(path, 'meshctl-folder'))
  const ended = async (...args: readonly string[]) => run(args).ended
  assert.deepEqual(await ended('hello', 'a b', '--flag'), { code: 7, out: 'hello a b --flag []\n', err: '' })
  assert.equal((await ended('--no-color', 'hello')).out, 'hello  [1]\n')
  assert.deepEqual(await ended('hello', 'world', 'x'), { code: 0, out: 'world x\n', err: '' })
  assert.match((await ended('runs', 'list')).err, /^meshctl: the address of the API is not known/)
  const broken = await ended('broken')
  assert.deepEqual([broken.code, broken.out], [1, ''])
  assert.match(broken.err, /^meshctl: .*meshctl-broken: cannot be started \(ENOENT\)\nIts first line/)
  assert.equal((await ended('dead')).code, 137)
  for (const name of ['plain', 'folder', 'absent', '../hello', 'HELLO']) {
    const { code, err } = await ended(name)
    assert.equal(code, 1, name)
    assert.match(err, /^meshctl: unknown command /)
  }
  const completed = await runCli(['complete', '--', 'hello', ''], { env: { PATH: path } })
  assert.match(completed.out, /^world\ta program of a third party\n/)
})

test('SIGTERM is passed on to the program', { timeout: 60_000 }, async (t) => {
  const { add, run } = programs(t)
  add('meshctl-wait', '#!/bin/sh\ntrap "echo bye; exit 5" TERM\necho ready\nwhile :; do sleep 0.05; done\n')
  const { child, ended, seen } = run(['wait'])
  while (!seen().includes('ready')) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGTERM')
  assert.deepEqual(await ended, { code: 5, out: 'ready\nbye\n', err: '' })
})

test('the example of a plugin out of tree asks the API by meshctl api', { timeout: 60_000 }, async (t) => {
  const { path, run } = programs(t)
  symlinkSync(example, join(path, 'meshctl-oncall'))
  const seen: string[] = []
  const server = createServer(({ url, headers }, response) => {
    seen.push(`${url} ${headers.authorization}`)
    response.end('{"items":[{"run":"r1","rota":"day","person":"ada"}]}')
  })
  const env = { MESH_SERVER: await listen(t, server), MESH_TOKEN: 'token' }
  assert.deepEqual(await run(['oncall', 'pages', 'demo'], env).ended, { code: 0, out: 'r1 day ada\n', err: '' })
  assert.deepEqual(seen, ['/api/x/oncall/pages/demo Bearer token'])
  assert.equal((await run(['oncall', 'pages', '../x'], env).ended).code, 1)
  const denied = await run(['oncall', 'pages'], { ...env, MESH_SERVER: 'http://127.0.0.1:9' }).ended
  assert.equal(denied.code, 1)
  assert.match(denied.err, /refused the connection/)
})

test('meshctl api sends method, query and body, and refuses what is no path', async (t) => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${body}`.trim())
      if (request.method === 'DELETE') response.statusCode = 204
      response.end(request.method === 'DELETE' ? '' : '{"a":"\u009b31m"}')
    })
  })
  const env = { MESH_SERVER: await listen(t, server), MESH_TOKEN: 'token' }
  const call = (args: readonly string[], stdin = '{"x":1}') => runCli(['api', ...args], { env, stdin })
  assert.deepEqual(await call(['/api/runs?namespace=demo']), { code: 0, out: '{\n  "a": "\\u009b31m"\n}\n', err: '' })
  assert.equal((await call(['namespaces/demo/display-name', '--method', 'PUT', '--body', '-'])).code, 0)
  assert.deepEqual(await call(['agents/demo/bot', '--method', 'DELETE']), { code: 0, out: '', err: '' })
  assert.deepEqual(seen, [
    'GET /api/runs?namespace=demo',
    'PUT /api/namespaces/demo/display-name {"x":1}',
    'DELETE /api/agents/demo/bot',
  ])
  for (const [args, message] of [
    [['../livez'], /is no name/],
    [['runs//x'], /is no name/],
    [['runs?a=1&a=2'], /has a parameter twice/],
    [['runs', '--body', '-'], /--body: GET has none/],
    [['runs', '--method', 'PATCH'], /--method "PATCH": must be one of/],
    [['runs\ud800'], /is no name/],
  ] as const) {
    const { code, err } = await call(args)
    assert.equal(code, 1, args.join(' '))
    assert.match(err, message)
  }
  assert.match((await call(['runs', '--method', 'POST', '--body', '-'], 'no json')).err, /is not valid JSON\n--body/)
  assert.equal(seen.length, 3)
})
