import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { readSettings } from '#core/config/settings.ts'
import { parseYamlText } from '#core/config/yaml-file.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { exchangeRaw, statusOf } from '#test/listeners/raw-exchange.ts'
import { createHost } from '../process/host.ts'
import { standalonePlatform } from '../testing/standalone-platform.ts'

const ports = 'bff: 0, gateway: 0, state: 0, admin: 0'

async function start(t: TestContext, listen: string, more = '') {
  const host = createHost({
    roles: ['bff'],
    plugins: [],
    settings: readSettings(
      parseYamlText(`listen: {${listen}, ${ports}}\nliveness: {port: 0}\n${more}`, 'mesh.yaml'),
      {},
      [],
    ),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
  })
  t.after(() => host.close())
  await host.start()
  const status = async (listener: 'bff' | 'admin' | 'liveness', path: string, host_: string) => {
    const port = Number(new URL(host.addresses()[listener] ?? '').port)
    return statusOf(await exchangeRaw({ port }, `GET ${path} HTTP/1.1\r\nHost: ${host_}\r\n\r\n`, 5_000))
  }
  return status
}

test('SEC13: every listener of a process on loopback refuses the Host of a rebound page, before the bearer', async (t) => {
  const status = await start(
    t,
    'host: 127.0.0.1, hosts: [proxy.example.com]',
    'urls: {bff: "https://mesh.example.com/x"}',
  )
  for (const path of ['/openapi.json', '/docs', '/api/whoami', '/nothing', '/%zz', '/livez'])
    assert.equal(await status('bff', path, 'evil.example:8080'), 421, path)
  assert.equal(await status('admin', '/metrics', 'evil.example'), 421)
  assert.equal(await status('liveness', '/livez', 'evil.example'), 421)
  for (const host of ['localhost:1', '127.0.0.1', 'mesh.example.com', 'proxy.example.com:80']) {
    assert.equal(await status('bff', '/openapi.json', host), 200, host)
    assert.equal(await status('bff', '/api/nothing', host), 401, host)
    assert.equal(await status('admin', '/livez', host), 200, host)
    assert.equal(await status('liveness', '/livez', host), 200, host)
  }
})

test('SEC13: a process on every address serves any Host: Services, Ingresses and pods have names of their own', async (t) => {
  const status = await start(t, "host: '::'")
  assert.equal(await status('bff', '/openapi.json', 'mesh.example.com'), 200)
  assert.equal(await status('admin', '/livez', '10.1.2.3:8081'), 200)
  assert.equal(await status('liveness', '/livez', '10.1.2.3:8083'), 200)
})
