import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import { readSettings } from '#core/config/settings.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { createPlatformOpener } from '#core/host/platform/open-platform.ts'
import { createHost } from '#core/host/process/host.ts'
import { bareSettings } from '#core/host/testing/standalone-platform.ts'
import { loadThirdParties } from '#core/host/third-party/third-party.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { listDeadTasks } from '#core/tasks/dead-tasks.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { listen } from '#test/harness/listen.ts'

interface HooksApi {
  raise(namespace: string, incident: string): Promise<void>
}

interface Request {
  readonly path: string
  readonly incident: string
  readonly event: string
  readonly attempt: string
  readonly signed: boolean
}

const secret = 'whsec_for_this_test'

/** A receiver: it answers the given statuses in turn, then 204, and records each request. */
async function startReceiver(t: TestContext, statuses: readonly number[]) {
  const left = [...statuses]
  const requests: Request[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const [event, signature] = [request.headers['webhook-id'], request.headers['webhook-signature']].map(String)
      const expected = `v1,${createHmac('sha256', secret).update(`${event}.${body}`).digest('base64')}`
      requests.push({
        path: request.url ?? '',
        incident: (JSON.parse(body) as { incident: string }).incident,
        event: event ?? '',
        attempt: String(request.headers['webhook-attempt']),
        signed: signature === expected,
      })
      response.writeHead(left.shift() ?? 204).end()
    })
  })
  return { url: await listen(t, server), requests }
}

/** The platform's worker with the plugin, on an embedded store and bus. */
async function start(t: TestContext, rules: readonly object[], allow: readonly string[]) {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const [hooks] = await loadThirdParties(['./hooks.ts'], { folder, plugins: [], profile: 'open' })
  assert.ok(hooks !== undefined)
  let api: HooksApi | undefined
  const user = definePlugin({
    contract: 1,
    name: 'user',
    settings: Type.Object({}),
    needs: { hooks },
    create: (_core, _settings, needs) => {
      api = needs.hooks as HooksApi
      return {}
    },
  })
  const plugins = [hooks, user]
  const database = await openMemoryStore()
  const log = createLogger({ destination: { write: () => undefined } })
  const metrics = createMetrics()
  const bus = createMemoryBus()
  const host = createHost({
    roles: ['migrate', 'worker'],
    plugins,
    settings: readSettings(bareSettings(`hooks: ${JSON.stringify({ rules, secret })}\n`), {}, plugins),
    openPlatform: createPlatformOpener({
      database,
      bus,
      cluster: { server: 'http://127.0.0.1:1', tls: {}, bearerOf: () => undefined },
      served: servedNamespaces([]),
      install: 'test',
      eventRetentionDays: 7,
      log,
      metrics,
    }),
    keys: testKeyring(),
    version: '0.0.0',
    log,
    metrics,
    outbound: { allow },
    thirdParty: new Set(['hooks']),
  })
  t.after(async () => {
    await host.close()
    await bus.close()
    await database.close()
  })
  await host.start()
  const raise = async (namespace: string, incident: string): Promise<void> => api?.raise(namespace, incident)
  return { database, raise }
}

/** The attempts of one task. On a busy machine the lease of one may end before its request, which the next one repeats. */
function assertAscending(requests: readonly Request[]): void {
  const attempts = requests.map(({ attempt }) => Number(attempt))
  assert.deepEqual(
    attempts,
    [...new Set(attempts)].toSorted((a, b) => a - b),
  )
}

async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await met())) {
    assert.ok(performance.now() < end, 'not reached in a minute')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('webhooks of a third party are matched, deduplicated, signed, retried, and dead at last', async (t) => {
  const good = await startReceiver(t, [503, 429])
  const bad = await startReceiver(t, [400])
  const down = await startReceiver(t, [500, 500, 500, 500])
  const types = ['com.acme.hooks.incident-raised.v1']
  const rule = (name: string, url: string, namespaces: readonly string[]) => ({ name, types, namespaces, url })
  const { database, raise } = await start(
    t,
    [
      rule('good', `${good.url}/in`, ['a']),
      rule('bad', bad.url, ['b']),
      rule('down', down.url, ['c']),
      { ...rule('other', good.url, ['a']), types: ['com.acme.hooks.nothing.v1'] },
      // The guard refuses link-local addresses whatever the settings allow.
      rule('guarded', 'http://169.254.169.254/latest/meta-data', ['d']),
    ],
    ['127.0.0.0/8'],
  )
  for (const namespace of ['a', 'a', 'b', 'c', 'd', 'e']) await raise(namespace, `incident-${namespace}`)
  await until(async () => good.requests.length === 3 && (await listDeadTasks(database)).length === 3)
  assert.deepEqual(
    good.requests.map(({ path, incident, signed }) => [path, incident, signed]),
    Array.from({ length: 3 }, () => ['/in', 'incident-a', true]),
    'two failures, then accepted, once for both events',
  )
  assertAscending(good.requests)
  assert.equal(new Set(good.requests.map(({ event }) => event)).size, 1)
  assert.deepEqual([bad.requests.length, down.requests.at(-1)?.attempt], [1, '4'])
  assertAscending(down.requests)
  const dead = await listDeadTasks(database)
  assert.deepEqual(dead.map(({ namespace, error }) => [namespace, error]).toSorted(), [
    ['b', 'status_400'],
    ['c', 'status_500'],
    ['d', 'OutboundError'],
  ])
  assert.deepEqual(
    dead.filter(({ namespace }) => namespace !== 'b').map(({ attempts }) => attempts),
    [4, 4],
    'the first is not repeated, the others are',
  )
  assert.ok(!JSON.stringify(dead).includes(secret))
})
