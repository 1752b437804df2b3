import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { exchangeRaw, statusOf } from '#test/listeners/raw-exchange.ts'
import { listen } from '../probes/probe-server.ts'
import { createAdminServer } from './admin-server.ts'
import type { AdminOptions } from './admin-server.ts'

const ready = async () => ({ ready: true, checks: [], notes: [] })

async function serve(t: TestContext, options: Partial<AdminOptions> = {}) {
  const server = createAdminServer({ readiness: ready, metrics: createMetrics(), ...options })
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  const port = await listen(server, { host: '127.0.0.1', port: 0, mayMove: false })
  return async (bytes: string) => exchangeRaw({ port }, bytes, 5_000)
}

test('SEC1: a target that is no URL is answered, and the server goes on', async (t) => {
  const send = await serve(t)
  const cases = [
    ['GET //', 404],
    ['GET //[', 404],
    ['GET /%', 404],
    ['GET *', 400],
    ['OPTIONS *', 400],
    ['GET http://', 400],
    ['GET http://%', 400],
    ['GET /livez?%&%zz&verbose', 200],
    ['GET /readyz?%zz', 200],
    ['POST /livez', 405],
  ] as const
  for (const [line, status] of cases) {
    const answer = await send(`${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    assert.equal(statusOf(answer), status, `${line}: ${answer.end} ${answer.text}`)
  }
  assert.equal(statusOf(await send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')), 200)
})

test('SEC1: readiness that throws is a 500, not the end of the process', async (t) => {
  const send = await serve(t, { readiness: () => Promise.reject(new Error('broken')) })
  const answer = await send('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  assert.equal(statusOf(answer), 500)
  assert.doesNotMatch(answer.text, /broken/)
})

test('SEC13: on loopback the admin port serves hosts of this machine only; elsewhere any', async (t) => {
  const local = await serve(t, { hosts: ['mesh.example.com'] })
  const ask = (host: string) => `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  for (const host of ['localhost', '127.0.0.1:8081', '[::1]:1', 'mesh.example.com']) {
    assert.equal(statusOf(await local(ask(host))), 200, host)
  }
  assert.equal(statusOf(await local(ask('evil.example'))), 421)
  assert.equal(statusOf(await local('GET /livez HTTP/1.0\r\n\r\n')), 421)
  const cluster = await serve(t)
  assert.equal(statusOf(await cluster(ask('mesh-bff.mesh.svc:8081'))), 200)
})

test('SEC24: what the parser refuses carries the security headers too', async (t) => {
  const send = await serve(t)
  for (const bytes of ['no http\r\n\r\n', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]) {
    const { text } = await send(bytes)
    assert.match(text, /^HTTP\/1\.1 4(?:00|31) /)
    assert.match(text, /x-content-type-options: nosniff\r\n/)
    assert.match(text, /content-security-policy: default-src 'none'.*base-uri 'none'; form-action 'none'\r\n/)
  }
})
