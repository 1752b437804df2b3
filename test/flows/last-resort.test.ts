import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/harness/free-port.ts'
import { mainProgram } from '#test/harness/program.ts'
import { startProcess, untilReady } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from './platform/embedded.ts'

const launcherMain = fileURLToPath(import.meta.resolve('../../launcher/main.ts'))
const prompt = 'what-a-user-asked'

/** Environment of a Node process in which SIGUSR2 raises an unhandled error. */
function withDefect(kind: 'throw' | 'reject'): { readonly NODE_OPTIONS: string } {
  const error = `Object.assign(new TypeError('${prompt}'), { code: 'E_TEST', cause: new RangeError('${prompt}') })`
  const act = kind === 'throw' ? `throw ${error}` : `Promise.reject(${error})`
  const module = `process.on('SIGUSR2', function defect() { ${act} })`
  return { NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(module).toString('base64')}` }
}

interface FatalLine {
  readonly level: string
  readonly error: string
  readonly code?: string
  readonly cause?: { readonly error: string }
  readonly kind: string
  readonly stack: readonly string[]
}

/** Returns the fatal lines of a log. Fails if it contains the message of the error, or a line that is not JSON. */
function fatalLines(log: string): readonly FatalLine[] {
  const text = readFileSync(log, 'utf8')
  assert.ok(!text.includes(prompt), text)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('{"url"'))
  return lines.map((line) => JSON.parse(line) as FatalLine).filter(({ level }) => level === 'fatal')
}

for (const [kind, reported] of [
  ['throw', 'uncaughtException'],
  ['reject', 'unhandledRejection'],
] as const)
  test(`PODA1: an error that no code handles (${kind}) is one fatal line, a drain, and an exit code`, async (t) => {
    const { server, log, admin, gateway } = await startGateway(t, kind)
    process.kill(server.pid, 'SIGUSR2')
    await untilReady(server, async () => (await (await fetch(`${admin}/readyz`)).text()).includes('draining'))
    // Requests are served until load balancers observe it.
    const answer = await fetch(`${gateway}/v1/models`)
    assert.deepEqual([answer.status, answer.headers.get('connection')], [401, 'keep-alive'])
    assert.equal(await server.exited, 1)
    const [line, ...more] = fatalLines(log)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [line?.error, line?.code, line?.cause?.error, line?.kind],
      ['TypeError', 'E_TEST', 'RangeError', reported],
    )
    assert.ok(line?.stack.some((frame) => frame.includes('defect')))
  })

/** The gateway alone, without store, bus and cluster: it listens and is not ready. */
async function startGateway(t: TestContext, kind: 'throw' | 'reject') {
  const folder = tempFolder('last-resort')
  t.after(folder.remove)
  const [gateway, admin] = [await freePort(), await freePort()]
  writeFileSync(join(folder.path, 'mesh.yaml'), 'drain: {delaySeconds: 2, graceSeconds: 1}\n')
  writeFileSync(join(folder.path, 'token'), 'unused', { mode: 0o600 })
  const keys = join(folder.path, 'keys')
  execFileSync(process.execPath, [mainProgram, 'keys', 'init', '--dir', keys])
  const log = join(folder.path, 'gateway.log')
  const server = startProcess({
    program: process.execPath,
    args: [mainProgram, 'gateway'],
    log,
    env: {
      ...withDefect(kind),
      MESH_CONFIG: join(folder.path, 'mesh.yaml'),
      MESH_STORE: 'none',
      MESH_KEYS_DIR: keys,
      MESH_HOST: '127.0.0.1',
      MESH_GATEWAY_PORT: String(gateway),
      MESH_ADMIN_PORT: String(admin),
      MESH_CLUSTER_SERVER: `http://127.0.0.1:${await freePort()}`,
      MESH_CLUSTER_TOKEN_FILE: join(folder.path, 'token'),
    },
  })
  t.after(() => server.end('SIGTERM'))
  const urls = { admin: `http://127.0.0.1:${admin}`, gateway: `http://127.0.0.1:${gateway}` }
  await untilReady(server, async () => (await fetch(`${urls.gateway}/v1/models`)).status === 401)
  return { server, log, ...urls }
}

test('PODA1: the embedded default ends by its last resort', { timeout: 480_000 }, async (t) => {
  const folder = tempFolder('last-resort')
  t.after(folder.remove)
  const all = await startAll(t, join(folder.path, 'data'), { flags: ['--no-demo'], env: withDefect('reject') })
  process.kill(all.pid, 'SIGUSR2')
  assert.equal(await all.exited, 1)
  assert.deepEqual(
    fatalLines(all.log).map(({ kind }) => kind),
    ['unhandledRejection'],
  )
  await assert.rejects(fetch(all.ready.url))
})

test('PODA1: a launcher ends its agent and exits with a code of its own', async (t) => {
  const folder = tempFolder('last-resort')
  t.after(folder.remove)
  const config = join(folder.path, 'agent.json')
  writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1' }))
  const log = join(folder.path, 'launcher.log')
  const port = await freePort()
  const agent = ['/bin/sh', '-c', 'trap "" USR2; while :; do sleep 0.1; done']
  const server = startProcess({
    program: process.execPath,
    args: [launcherMain, '--', ...agent],
    log,
    env: {
      ...withDefect('throw'),
      MESH_AGENT_CONFIG: config,
      MESH_UNSIGNED: 'true',
      MESH_BIND: '127.0.0.1',
      MESH_LAUNCHER_PORT: String(port),
      DELEGATE_PORT: '0',
      AGENT_PORT: String(await freePort()),
    },
  })
  t.after(() => server.end('SIGKILL'))
  await untilReady(server, async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status > 0)
  process.kill(server.pid, 'SIGUSR2')
  assert.equal(await server.exited, 134)
  assert.deepEqual(
    fatalLines(log).map(({ error, code, kind }) => [error, code, kind]),
    [['TypeError', 'E_TEST', 'uncaughtException']],
  )
  const text = readFileSync(log, 'utf8')
  assert.match(text, /agent ended/)
})
