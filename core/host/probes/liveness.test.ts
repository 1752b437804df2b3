import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createLogger } from '#core/log/create-logger.ts'
import { exchangeRaw, statusOf } from '#test/listeners/raw-exchange.ts'
import { startLiveness } from './liveness.ts'

const log = createLogger({ destination: { write: () => undefined } })

async function serve(t: TestContext, options: { blockedMs?: number; port?: number; hosts?: readonly string[] } = {}) {
  const { blockedMs = 3_600_000, port = 0, hosts } = options
  const liveness = await startLiveness({ host: '127.0.0.1', port, hosts, blockedMs, log })
  t.after(() => liveness.close())
  const ask = (path: string, host = 'localhost') =>
    exchangeRaw({ port: liveness.port }, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 30_000)
  return { liveness, ask, url: `http://127.0.0.1:${liveness.port}/livez` }
}

// `spawnSync` blocks this event loop while the program runs.
function whileBlocked(program: string, url: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, url], {
    encoding: 'utf8',
    timeout: 480_000,
  })
  assert.equal(stderr, '')
  return stdout
}

test('liveness is served while the event loop is blocked', async (t) => {
  const { url } = await serve(t)
  const probes = `for (let i = 0; i < 5; i++) { const a = await fetch(process.argv[1]); console.log(a.status, (await a.text()).trim()) }`
  assert.equal(whileBlocked(probes, url), '200 ok\n'.repeat(5))
})

test('liveness fails when the event loop has not turned beyond the bound, until it turns again', async (t) => {
  const { url, ask } = await serve(t, { blockedMs: 50 })
  const probes = `for (;;) { const a = await fetch(process.argv[1]); const text = await a.text(); if (a.status !== 200) { console.log(a.status, text); break } }`
  assert.match(whileBlocked(probes, url), /^503 the event loop has not turned for \d+ s\n/)
  let answer = await ask('/livez')
  while (statusOf(answer) !== 200) answer = await ask('/livez')
  assert.match(answer.text, /\nok\n/)
})

test('SEC1: the liveness port serves its path and the hosts of this machine only', async (t) => {
  const { ask } = await serve(t, { hosts: [] })
  for (const [path, status] of [
    ['/livez', 200],
    ['/livez?%zz&verbose', 200],
    ['/readyz', 404],
    ['/metrics', 404],
    ['//', 404],
    ['/%', 404],
    ['*', 400],
    ['http://%', 400],
  ] as const)
    assert.equal(statusOf(await ask(path)), status, path)
  assert.equal(statusOf(await ask('/livez', 'evil.example')), 421)
})

test('a taken liveness port is an error at the start, and a closed probe refuses connections', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await assert.rejects(serve(t, { port }), { message: `MESH_LIVENESS_PORT: port ${port} is taken` })
  const { liveness, url } = await serve(t)
  await liveness.close()
  await assert.rejects(fetch(url))
})
