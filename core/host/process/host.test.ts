import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { Type } from 'typebox'
import { readSettings } from '#core/config/settings.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { identity } from '#plugins/identity/index.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createHost } from './host.ts'
import type { HostOptions } from './host.ts'
import { loadOrder } from '../load/load-order.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { contribute, definePoint } from '#core/jobs/extension-point.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'

const none = Type.Object({})
const good = { authorization: 'Bearer good-token' }

function host(
  t: { after(fn: () => unknown): void },
  plugins: readonly AnyPlugin[],
  more: Partial<HostOptions> & { yaml?: string } = {},
) {
  const lines: string[] = []
  const made = createHost({
    roles: ['bff'],
    plugins,
    settings: readSettings(bareSettings(more.yaml), {}, plugins),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    ...more,
  })
  t.after(() => made.close())
  return { host: made, lines }
}

test('load order: dependencies first; a missing need, a duplicate and a cycle are named by their path', () => {
  const plugin = (name: string, needs: AnyPlugin['needs'] = {}): AnyPlugin =>
    definePlugin({ contract: 1, name, settings: none, needs, create: () => ({}) })
  const runs = plugin('runs')
  const sharing = plugin('sharing', { runs })
  const scores = plugin('scores', { sharing: optional(sharing) })
  const names = (list: readonly AnyPlugin[]) => loadOrder(list).map(({ name }) => name)
  assert.deepEqual(names([scores, sharing, runs]), ['runs', 'sharing', 'scores'])
  assert.deepEqual(names([scores]), ['scores'])
  assert.throws(
    () => loadOrder([plugin('top', { sharing }), sharing]),
    /sharing needs runs, which is not listed \(top -> sharing -> runs\)/,
  )
  assert.throws(() => loadOrder([runs, runs]), /plugin runs is listed twice/)
  const ring: { -readonly [K in keyof AnyPlugin]: AnyPlugin[K] } = { ...plugin('a') }
  const b = plugin('b', { c: plugin('c', { a: ring }) })
  ring.needs = { b }
  assert.throws(() => loadOrder([ring, b, plugin('c', { a: ring })]), /plugins depend on each other: a -> b -> c -> a/)
})

test('the console is at /; with ui off no address of it exists, and / leads to the API', async (t) => {
  const page = { id: 'shown', title: 'A page', section: 'Observe', path: '/shown', capability: 'shown' }
  const shown = definePlugin({ contract: 1, name: 'shown', settings: none, create: () => ({}), console: [page] })
  for (const [env, expected] of [
    [{}, [405, 405, 404, 405]],
    [{ MESH_UI: 'false' }, [405, 404, 404, 404]],
  ] as const) {
    const { host: running } = host(t, [shown], { settings: readSettings(bareSettings(), env, [shown]) })
    await running.start()
    const put = async (url: string) => (await running.app('bff')?.inject({ url, method: 'PUT' }))?.statusCode
    assert.deepEqual(await Promise.all(['/', '/shown', '/other', '/assets/main.js'].map(put)), expected)
    const home = await running.app('bff')?.inject({ url: '/', headers: { accept: 'application/json' } })
    assert.equal(home?.headers.location, '/openapi.json')
  }
})

test('GET /api/capabilities has the console pages of plugins that are not hidden; a page that is wrong ends the start', async (t) => {
  const plugin = (name: string, page: object, hidden = false): AnyPlugin =>
    definePlugin({
      contract: 1,
      name,
      settings: none,
      wiring: () => (hidden ? 'hidden' : 'ready'),
      create: () => ({}),
      console: [{ id: name, title: 'A page', section: 'Observe', path: `/${name}`, capability: name, ...page }],
    })
  const shown = plugin('shown', {})
  const { host: running } = host(t, [
    identity,
    shown,
    plugin('gone', {}, true),
    plugin('other', { capability: 'gone' }),
  ])
  await running.start()
  const answer = await running.app('bff')?.inject({ url: '/api/capabilities', headers: good })
  assert.deepEqual(answer?.json<{ pages: unknown }>().pages, [...(identity.console ?? []), ...(shown.console ?? [])])
  // A page has an address, for GET only; a hidden one has none.
  const statusOf = async (url: string) => (await running.app('bff')?.inject({ url, method: 'PUT' }))?.statusCode
  assert.deepEqual([await statusOf('/shown'), await statusOf('/gone'), await statusOf('/other')], [405, 404, 404])
  await assert.rejects(host(t, [shown, plugin('more', { path: '/shown' })]).host.start(), {
    name: 'BootError',
    message: 'plugin more: console page "more": plugin shown has a page with the same path, /shown',
  })
})

test('wiring: unwired is inherited with its reason, hidden is not; boot, readiness and routes agree', async (t) => {
  const route = (url: string) => [
    endpoint({
      method: 'GET',
      url,
      summary: 'x',
      authz: { kind: 'bearer' },
      response: { 200: none },
      handle: async () => ({}),
    }),
  ]
  const runs = definePlugin({
    contract: 1,
    name: 'runs',
    settings: none,
    requires: ['store'],
    create: (core) => ({ read: core.store.readStream }),
    api: ({ read }) => ({ read }),
    routes: () => route('/runs'),
  })
  const sharing = definePlugin({
    contract: 1,
    name: 'sharing',
    settings: none,
    needs: { runs },
    create: (_core, _settings, needs) => ({ read: needs.runs.read }),
    routes: () => route('/shares'),
  })
  const secret = definePlugin({
    contract: 1,
    name: 'secret',
    settings: none,
    wiring: () => 'hidden',
    create: () => ({}),
    api: () => 'still there',
    routes: () => route('/secret'),
  })
  const seen: unknown[] = []
  const user = definePlugin({
    contract: 1,
    name: 'user',
    settings: none,
    needs: { secret, sharing: optional(sharing) },
    create: (_core, _settings, needs) => {
      seen.push(needs.secret, needs.sharing)
      return {}
    },
    routes: () => route('/user'),
  })
  const { host: running, lines } = host(t, [runs, sharing, secret, user])
  await running.start()
  assert.deepEqual(seen, ['still there', undefined])
  const app = running.app('bff')
  const status = async (url: string) => (await app?.inject({ url, headers: good }))?.statusCode
  assert.deepEqual(
    await Promise.all(['/api/runs', '/api/shares', '/api/secret', '/api/user'].map(status)),
    [501, 501, 404, 200],
  )
  const readiness = await (await fetch(`${running.addresses().admin}/readyz?verbose`)).text()
  assert.match(readiness, /\[i\]sharing: unwired, needs runs: no DATABASE_URL/)
  assert.match(readiness, /\[i\]secret: hidden/)
  assert.match(readiness, /readyz check passed/)
  assert.match(lines.join(''), /sharing: unwired, needs runs: no DATABASE_URL/)
  const openapi = (await (await fetch(`${running.addresses().bff}/openapi.json`)).json()) as { paths: object }
  assert.deepEqual(Object.keys(openapi.paths), ['/api/health', '/api/runs', '/api/shares', '/api/user'])
})

test('a disabled plugin returns 501, and so do its dependents', async (t) => {
  const a = definePlugin({ contract: 1, name: 'a', settings: none, create: () => ({}), api: () => 1 })
  const b = definePlugin({ contract: 1, name: 'b', settings: none, needs: { a }, create: () => ({}) })
  const { host: running } = host(t, [a, b], { yaml: 'disable: [a]' })
  await running.start()
  assert.deepEqual((await running.ready()).notes, [
    'a: unwired, disabled in the settings',
    'b: unwired, needs a: disabled in the settings',
  ])
})

test('a plugin that fails to start fails the boot and names itself; what was started closes in reverse', async (t) => {
  const closed: string[] = []
  const plugin = (name: string, more: Partial<AnyPlugin> = {}): AnyPlugin => ({
    ...definePlugin({ contract: 1, name, settings: none, create: () => ({}) }),
    close: async () => {
      closed.push(name)
    },
    ...more,
  })
  const broken = plugin('broken', {
    create: () => {
      throw new Error('no luck')
    },
  })
  await assert.rejects(
    host(t, [plugin('one'), plugin('two'), broken]).host.start(),
    /plugin broken: create failed: no luck/,
  )
  assert.deepEqual(closed, ['two', 'one'])
  closed.length = 0
  const wrong = plugin('wrong', {
    routes: () => {
      throw new Error('no routes')
    },
  })
  await assert.rejects(host(t, [plugin('one'), wrong]).host.start(), /plugin wrong: routes failed: no routes/)
  const { host: fine } = host(t, [plugin('one'), plugin('two')])
  closed.length = 0
  await fine.start()
  await fine.close()
  assert.deepEqual(closed, ['two', 'one'])
})

test('extension points are readable once every plugin is created, and not before', async (t) => {
  const point = definePoint<number>('owner.numbers')
  const owner = definePlugin({
    contract: 1,
    name: 'owner',
    settings: none,
    points: [point],
    create: (core) => {
      assert.throws(() => core.extensions(point), /once every plugin is created/)
      return { sum: () => core.extensions(point).reduce((a, b) => a + b, 0) }
    },
    routes: (services) => {
      assert.equal(services.sum(), 3)
      return []
    },
  })
  const giver = (name: string, value: number) =>
    definePlugin({
      contract: 1,
      name,
      settings: none,
      create: () => ({}),
      contributions: () => [contribute(point, value)],
    })
  await host(t, [owner, giver('x', 1), giver('y', 2)]).host.start()
})

test('X6: drain fails readiness first, lets requests finish, ends streams with a retry hint and refuses new ones', async (t) => {
  const gates = { entered: Promise.withResolvers<void>(), leave: Promise.withResolvers<void>() }
  const slow = definePlugin({
    contract: 1,
    name: 'slow',
    settings: none,
    create: () => ({}),
    routes: () => [
      endpoint({
        method: 'GET',
        url: '/slow',
        summary: 'x',
        authz: { kind: 'bearer' },
        response: { 200: none },
        handle: async () => {
          gates.entered.resolve()
          await gates.leave.promise
          return {}
        },
      }),
      endpoint({
        method: 'GET',
        url: '/stream',
        summary: 'x',
        authz: { kind: 'bearer' },
        stream: true,
        response: { 200: none },
        handle: async (call) => {
          await openEventStream(call).send('data: 1\n\n')
        },
      }),
    ],
  })
  // With a delay, as in a cluster: without one the connections that carry no request are closed immediately, also those just opened.
  const { host: running } = host(t, [slow], { yaml: 'drain:\n  delaySeconds: 1\n' })
  await running.start()
  const { bff = '', admin = '' } = running.addresses()
  const stream = await fetch(`${bff}/api/stream`, { headers: good })
  const body = stream.text()
  const answer = fetch(`${bff}/api/slow`, { headers: good })
  await gates.entered.promise
  const kept = connect(Number(new URL(bff).port), '127.0.0.1')
  await once(kept, 'connect')
  const drained = running.drain()
  assert.equal((await fetch(`${admin}/readyz`)).status, 503)
  assert.equal((await fetch(`${admin}/livez`)).status, 200)
  assert.equal(await body, 'data: 1\n\nretry: 1000\n\n')
  kept.end(`GET /api/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-token\r\n\r\n`)
  const [late] = (await once(kept, 'data')) as [Buffer]
  assert.match(String(late), /503 Service Unavailable[\s\S]*"draining"/)
  assert.match(String(late), /connection: close/i)
  gates.leave.resolve()
  assert.equal((await answer).status, 200)
  await drained
  await assert.rejects(fetch(`${bff}/api/slow`, { headers: good }))
})

test('X6: clients are asked to close idle connections sooner than a drain does; the server keeps them longer', async (t) => {
  const { host: running } = host(t, [], { yaml: 'drain:\n  delaySeconds: 2\n' })
  await running.start()
  const answer = await fetch(`${running.addresses().bff}/api/none`, { headers: good })
  assert.equal(answer.headers.get('keep-alive'), 'timeout=2')
  const { keepAliveTimeout = 0, keepAliveTimeoutBuffer = 0 } = running.app('bff')?.server ?? {}
  assert.equal(keepAliveTimeout + keepAliveTimeoutBuffer, 72_000)
})

test('X6: a request that arrives a second after the timeout of its connection is still answered during a drain', async (t) => {
  const { host: running } = host(t, [], { yaml: 'drain:\n  delaySeconds: 1\n' })
  await running.start()
  const kept = connect(Number(new URL(running.addresses().bff ?? '').port), '127.0.0.1')
  const request = 'GET /api/none HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-token\r\n\r\n'
  kept.write(request)
  const [first] = (await once(kept, 'data')) as [Buffer]
  assert.match(String(first), /keep-alive: timeout=1/i)
  const drained = running.drain()
  // The delay, the timeout announced to the client, and one second; this measures the clock itself.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  kept.write(request)
  const [late] = (await once(kept, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer]
  assert.match(String(late), /404 Not Found[\s\S]*connection: close/i)
  await drained
})
