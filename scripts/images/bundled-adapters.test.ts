import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createLogger } from '#core/log/create-logger.ts'
import { busContract } from '#core/messaging/bus/bus.contract.ts'
import { objectStoreContract } from '#core/objects/object-store.contract.ts'
import { parseS3Settings } from '#core/objects/s3-address.ts'
import { parseRedisUrl } from '#core/state-store/redis-url.ts'
import { stateStoreContract } from '#core/state-store/state-store.contract.ts'
import { untilConnected } from '#core/state-store/testing/adapters.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { startGrpcReceiver, startHttpReceiver } from '#core/telemetry/testing/otlp-receiver.ts'
import { asSpan } from '#core/telemetry/trace-context.ts'
import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'
import { needs } from '#test/harness/find-server.ts'
import { startNats } from '#test/harness/nats.ts'
import { startRedis } from '#test/harness/redis.ts'
import { startS3 } from '#test/harness/s3.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { bundleEntries, localParts } from './bundle.ts'
import type * as adapters from './testing/adapters.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = 'scripts/images/testing/adapters.ts'
const bundle = tempFolder('bundle')
test.after(() => bundle.remove())
writeFileSync(join(bundle.path, 'package.json'), JSON.stringify({ type: 'module' }))
await bundleEntries(root, bundle.path, [entry], localParts)
// The code of the images: in the sources a package of another module format may work that a bundle cannot load.
const bundled = (await import(pathToFileURL(join(bundle.path, entry.replace('.ts', '.js'))).href)) as typeof adapters

objectStoreContract({
  name: 'R2-CL-6: S3 of the bundle',
  skip: needs('versitygw').skip,
  open: async (t) => {
    const { url, accessKey, secretKey } = await startS3(t)
    const own = { addr: url.replace('http://', ''), bucket: 'mesh-fixtures', region: 'us-east-1', tls: false }
    const store = bundled.openS3Store(parseS3Settings({ ...own, accessKey, secretKey }))
    t.after(() => store.close())
    return store
  },
})

stateStoreContract({
  name: 'R2-CL-6: Redis of the bundle',
  skip: needs('redis-server').skip,
  open: async (t) => {
    const { url } = await startRedis(t)
    const store = bundled.openRedisStore(parseRedisUrl(url), 'test')
    t.after(() => store.close())
    await untilConnected(store)
    return { store, advance: (ms) => delay(ms) }
  },
})

busContract(
  'R2-CL-6: NATS of the bundle',
  async (t) => {
    const server = await startNats(t)
    const bus = await bundled.createNatsBus({ servers: server.url })
    t.after(() => bus.close())
    await bus.ensure({ durables: [] })
    return bus
  },
  needs('nats-server').skip,
  bundled.insideTransaction,
)

for (const [protocol, startReceiver] of [
  ['http/protobuf', startHttpReceiver],
  ['grpc', startGrpcReceiver],
] as const)
  test(`R2-CL-6: OTLP of the bundle exports by ${protocol}`, async (t) => {
    const receiver = await startReceiver(t)
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }
    Object.assign(process.env, variables)
    t.after(() => Object.keys(variables).forEach((name) => delete process.env[name]))
    const { tracer, close } = await bundled.openTracing({
      settings: { telemetry: { accessLog: true, otlpEndpoint: receiver.endpoint }, install: 'x' },
      env: variables,
      roles: ['bff'],
      version: '1',
      log: createLogger({ destination: { write: () => undefined } }),
      metrics: createMetrics(),
    })
    assert.ok(tracer !== undefined)
    await asSpan({ tracer, parent: undefined, name: { name: 'of the bundle', kind: 'server' } }, async () => 1)
    await close()
    assert.equal(receiver.requests.length, 1)
  })

test('R2-CL-6: the MCP client of the bundle lists and calls tools', async (t) => {
  const server = await startMcpServer(t, '2025-11-25')
  const outbound = bundled.createOutbound({ allow: ['127.0.0.1'] })
  const dispatcher = outbound.open({ connections: 8 })
  t.after(async () => {
    await dispatcher.destroy()
    await outbound.close()
  })
  const withSession = bundled.createWithSession({ dispatcher, version: '1', maxBytes: 1024 * 1024, maxRequests: 16 })
  const target = { url: server.url, bearer: undefined, deadlineMs: 30_000 }
  const listed = await withSession(target, async (client) => (await client.listTools()).tools.length)
  assert.ok(listed > 0)
})
