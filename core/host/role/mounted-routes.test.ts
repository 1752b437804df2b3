import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import { readSettings } from '#core/config/settings.ts'
import type { Role } from '#core/config/profile.ts'
import type { Authz } from '#core/http/endpoint/authz.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { KubeError } from '#core/kube/status.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { createHost } from '../process/host.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'

const none = Type.Object({})
const listening = ['bff', 'gateway', 'state', 'manager'] as const
const slots = ['routes', 'gatewayRoutes', 'stateRoutes', 'managerRoutes'] as const

// A cluster that accepts the bearer `good` only, as a user and as a pod.
function accepting() {
  const refuse = async (): Promise<never> => {
    throw new Error('this platform has no cluster')
  }
  const identity = {
    authenticate: async (bearer: string) =>
      bearer === 'good' ? { username: 'pod', uid: '', groups: [], extra: {}, audience: 'x' } : undefined,
    knows: () => false,
    excludes: () => false,
    subjectMay: refuse,
    // No route of this test reads the cluster.
    cluster: undefined as unknown as OwnIdentity['cluster'],
  } satisfies OwnIdentity
  const open = standalonePlatform()
  return async (input: Parameters<typeof open>[0]) => {
    const platform = await open(input)
    const as: typeof platform.callers.as = async (bearer) => {
      if (bearer !== 'good') throw new KubeError(401, 'Unauthorized', 'Unauthorized')
      return platform.callers.as(bearer)
    }
    return { ...platform, identity, callers: { as } }
  }
}

function host(t: { after(fn: () => unknown): void }, plugins: readonly AnyPlugin[], roles: readonly Role[] = ['bff']) {
  const made = createHost({
    roles,
    plugins,
    settings: readSettings(bareSettings(), {}, plugins),
    openPlatform: accepting(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
  })
  t.after(() => made.close())
  return made
}

const plugin = (name: string, more: object): AnyPlugin => ({
  ...definePlugin({ contract: 1, name, settings: none, create: () => ({}) }),
  ...more,
})

const route = (url: string, authz: Authz = { kind: 'bearer' }) =>
  endpoint({ method: 'GET', url, summary: 'x', authz, response: { 200: none }, handle: async () => ({}) })

test('CON1: a garbage bearer is a 401 on every listener, also for unwired parts and tokens of a plugin', async (t) => {
  const token = { kind: 'token', of: 'a test', verify: (given: string) => given === 'sesame' } as const
  const endpoints = [
    route('/plain'),
    route('/tokens', token),
    route('/open', { kind: 'public', shownBy: 'anyone' }),
    { wiring: 'unwired', because: 'No store.', endpoints: [route('/unwired')] },
    { wiring: 'hidden', endpoints: [route('/hidden')] },
  ] as const
  const every = plugin('every', Object.fromEntries(slots.map((slot) => [slot, () => endpoints])))
  const running = host(t, [every], listening)
  await running.start()
  for (const role of listening) {
    const ask = async (path: string, bearer: string) => {
      const url = `${role === 'bff' ? '/api' : ''}${path}`
      const answer = await running.app(role)?.inject({ url, headers: { authorization: `Bearer ${bearer}` } })
      return answer?.statusCode
    }
    const statuses = async (path: string) =>
      Promise.all(['garbage', 'good', 'sesame'].map((bearer) => ask(path, bearer)))
    assert.deepEqual(await statuses('/plain'), [401, 200, 401], role)
    assert.deepEqual(await statuses('/tokens'), [401, 401, 200], role)
    assert.deepEqual(await statuses('/unwired'), [401, 501, 401], role)
    assert.deepEqual(await statuses('/open'), [200, 200, 200], role)
    assert.equal(await ask('/hidden', 'good'), 404, role)
  }
  const because = await running.app('bff')?.inject({ url: '/api/unwired', headers: { authorization: 'Bearer good' } })
  assert.equal(because?.json<{ detail: string }>().detail, 'No store.')
})

test('CON1: nothing but endpoints can be mounted, by type', () => {
  const raw = async (scope: { get(url: string, handler: () => string): void }): Promise<void> => {
    scope.get('/raw', () => 'x')
  }
  const base = { contract: 1, settings: none, create: () => ({}) } as const
  // @ts-expect-error a function is no list of endpoints
  definePlugin({ ...base, name: 'a', routes: () => raw })
  // @ts-expect-error nor is it an element of one
  definePlugin({ ...base, name: 'b', gatewayRoutes: () => [raw] })
  // @ts-expect-error a route without authz is no endpoint
  definePlugin({ ...base, name: 'c', stateRoutes: () => [{ method: 'GET', url: '/x', handle: async () => ({}) }] })
})

test('CON1: a raw route and an endpoint without a known authz are refused at boot, with plugin, method and path', async (t) => {
  const given = { method: 'GET', url: '/raw', summary: 'x', response: { 200: none }, handle: async () => ({}) }
  const reviewed = { kind: 'review', verb: 'get', resource: 'a.b', namespace: { in: 'cluster' } }
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [async () => undefined, /plugin wrong: routes failed: must return a list of endpoints, not a function/],
    [Promise.resolve([]), /not a promise: only endpoints can be mounted/],
    [undefined, /must return a list of endpoints, not undefined/],
    [null, /not object/],
    [[async () => undefined], /plugin wrong: routes failed: an endpoint must be an object, not function/],
    [[{ ...given, handle: undefined, handler: () => 'x', config: { authz: { kind: 'bearer' } } }], /GET \/raw: authz/],
    [[given], /plugin wrong: routes failed: endpoint GET \/raw: authz is required/],
    ...[null, 'bearer', [], { kind: 'none' }, { kind: 'constructor' }, { kind: '__proto__' }, {}].map(
      (authz) =>
        [[{ ...given, authz }], /endpoint GET \/raw: authz is required.*its kind is one of kube, review/] as const,
    ),
    [[{ ...given, authz: { kind: 'kube', verb: 'get' } }], /GET \/raw: authz.resource must be a string/],
    [[{ ...given, authz: { ...reviewed, group: 7 } }], /GET \/raw: authz.group must be a string/],
    [
      [{ ...given, authz: { ...reviewed, group: 'acme.example' } }],
      /authz.resource must not name a group beside authz.group/,
    ],
    [[{ ...given, authz: { kind: 'review', verb: 'get', resource: 'runs' } }], /GET \/raw: authz.namespace must be/],
    [[{ ...given, authz: { kind: 'agent' } }], /GET \/raw: only the state role has routes for agents/],
    [[{ ...given, authz: { kind: 'token', of: 'x' } }], /GET \/raw: authz.verify must be a function/],
    [[{ ...given, authz: { kind: 'public', shownBy: 'x' } }], /authz.shownBy must be shareToken or anyone/],
    [
      [{ ...given, method: 'POST', authz: { kind: 'public', shownBy: 'anyone' } }],
      /POST \/raw: a public route must be a GET/,
    ],
    [[{ ...given, method: 'TRACE', authz: { kind: 'bearer' } }], /TRACE \/raw: method must be GET, POST, PUT, DELETE/],
    [[{ wiring: 'gone', endpoints: [] }], /wiring of a part must be hidden, unwired, ready/],
    [[{ wiring: 'ready', endpoints: [given] }], /endpoint GET \/raw: authz is required/],
  ]
  for (const [declared, message] of cases) {
    await assert.rejects(host(t, [plugin('wrong', { routes: () => declared })]).start(), message)
  }
})

test('CON1: a route that two plugins declare names both', async (t) => {
  const one = plugin('one', { routes: () => [route('/things/:ns')] })
  const two = plugin('two', { routes: () => [route('/things/:namespace')] })
  await assert.rejects(
    host(t, [one, two]).start(),
    /GET \/api\/things\/:namespace is declared by the plugins one and two/,
  )
  const twice = plugin('twice', { routes: () => [route('/things'), route('/things')] })
  await assert.rejects(host(t, [twice]).start(), /GET \/api\/things is declared twice/)
})
