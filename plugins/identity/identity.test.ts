import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Type } from 'typebox'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import { coreEndpoints } from '#core/http/health.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '../agents/testing/serve.ts'
import { questionOf } from './capabilities.ts'
import { identityEndpoints } from './endpoints.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

const reading = (plugin: string, resource: string, more: Partial<MountedEndpoint> = {}): MountedEndpoint => ({
  plugin,
  wiring: 'ready',
  prefix: '/api',
  endpoint: endpoint({
    method: 'GET',
    url: `/${resource}`,
    summary: resource,
    authz: {
      kind: 'review',
      verb: 'list',
      resource,
      namespace: { in: 'scope', none: 'denied' },
    },
    response: { 200: Type.Null() },
    handle: async () => null,
  }),
  ...more,
})

const auditPage = { id: 'audit', title: 'Audit', section: 'Observe', path: '/audit', capability: 'audit' }

async function setUp(t: TestContext, more: readonly MountedEndpoint[] = []) {
  return servePlugin(t, 'identity', (catalog) =>
    identityEndpoints('open', {
      catalog: () => [...catalog(), ...more],
      pages: () => [auditPage],
      plugins: () =>
        new Map([
          ['cost', { wiring: 'unwired', reason: 'unconfigured' }],
          ['providers', { wiring: 'unwired', reason: 'disabled' }],
          ['pruning', { wiring: 'ready' }],
        ]),
      directory: { namesAfter: async () => [], permitted: async () => ({ lastName: undefined }) },
    }),
  )
}

interface Named {
  items: { metadata: { name: string; annotations?: Record<string, string> } }[]
  nextCursor: string | null
  scope?: string
}

test('whoami returns the caller as authenticated by the cluster', real, async (t) => {
  const { ask } = await setUp(t)
  const { username, uid, groups } = (await ask('developer', 'GET', '/whoami')).json<{
    username: string
    uid: string
    groups: string[]
  }>()
  assert.deepEqual([username, uid], ['developer', 'uid-developer'])
  assert.ok(groups.includes('system:authenticated') && groups.includes('mesh:developers'))
})

test('D3: health requires an authenticated bearer', real, async (t) => {
  const { ask } = await servePlugin(t, 'core', () => coreEndpoints)
  assert.deepEqual((await ask('unbound', 'GET', '/health')).json(), { status: 'ok' })
  assert.equal((await ask('stranger', 'GET', '/health')).status, 401)
})

test('UXL9: capabilities are reported per plugin and caller, also for plugins without routes', real, async (t) => {
  const { ask } = await setUp(t, [
    reading('agents', 'agentdeployments'),
    reading('audit', 'auditlogs'),
    reading('cost', 'costs', { wiring: 'unwired', reason: 'unconfigured' }),
  ])
  const seen = async (who: string) => {
    const answer = await ask(who, 'GET', '/capabilities')
    const { profile, capabilities, pages } = answer.json<{
      profile: string
      pages: unknown
      capabilities: { id: string; enabled: boolean; reason?: string }[]
    }>()
    assert.equal(profile, 'open')
    assert.deepEqual(pages, [auditPage], 'the console shows it by its capability')
    return Object.fromEntries(capabilities.map(({ id, enabled, reason }) => [id, reason ?? enabled]))
  }
  const base = { cost: 'unconfigured', identity: true, providers: 'disabled', pruning: true }
  assert.deepEqual(await seen('operator'), { ...base, agents: true, audit: true })
  assert.deepEqual(await seen('developer'), { ...base, agents: true, audit: 'denied' })
  assert.deepEqual(await seen('unbound'), { ...base, agents: 'denied', audit: 'denied' })
})

test('the right that decides about a plugin is its first list', () => {
  const get = reading('runs', 'runs')
  const single = {
    ...get,
    endpoint: { ...get.endpoint, authz: { kind: 'kube' as const, verb: 'get', resource: 'runs' } },
  }
  assert.deepEqual(questionOf([single, get]), { verb: 'list', resource: 'runs' })
  assert.deepEqual(questionOf([single]), { verb: 'get', resource: 'runs' })
  assert.equal(questionOf([]), undefined)
  const shelves = 'shelves.library.example'
  assert.deepEqual(questionOf([reading('library', shelves)]), { verb: 'list', resource: shelves })
  for (const resource of ['namespaces', 'controllerrevisions.apps', 'endpointslices.discovery.k8s.io'])
    assert.equal(questionOf([reading('x', resource)]), undefined, resource)
})

test('namespaces are listed by the cluster, or with scope=permitted read one by one as the caller', real, async (t) => {
  const { ask, namespace, other } = await setUp(t)
  const all = (await ask('operator', 'GET', '/namespaces?limit=200')).json<Named>()
  assert.ok(all.items.some((item) => item.metadata.name === other))
  assert.equal((await ask('viewer', 'GET', '/namespaces')).status, 403)
  const permitted = async (who: string) => {
    const { items, scope } = (await ask(who, 'GET', '/namespaces?scope=permitted')).json<Named>()
    assert.equal(scope, 'permitted')
    return items.map((item) => item.metadata.name)
  }
  assert.deepEqual(await permitted('viewer'), [namespace])
  assert.deepEqual(await permitted('other-tenant'), [other])
  assert.deepEqual(await permitted('unbound'), [])
  assert.deepEqual(await permitted('operator'), [namespace, other])
})

test('C1, CON8: a cursor continues its own list of namespaces only', real, async (t) => {
  const { ask, namespace, other } = await setUp(t)
  const first = (await ask('operator', 'GET', '/namespaces?scope=permitted&limit=1')).json<Named>()
  assert.deepEqual(
    first.items.map((item) => item.metadata.name),
    [namespace],
  )
  const cursor = encodeURIComponent(first.nextCursor ?? '')
  const second = (await ask('operator', 'GET', `/namespaces?scope=permitted&limit=1&cursor=${cursor}`)).json<Named>()
  assert.deepEqual(
    second.items.map((item) => item.metadata.name),
    [other],
  )
  assert.equal(second.nextCursor, null, 'an exactly full last page')
  const wrong = await ask('operator', 'GET', `/namespaces?cursor=${cursor}`)
  assert.equal(wrong.json<{ code: string }>().code, 'invalid_cursor')
})

test('a display name is written as the caller, and an empty one removes it', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const path = `/namespaces/${namespace}/display-name`
  const annotations = (answer: Awaited<ReturnType<typeof ask>>) => answer.json<Named['items'][0]>().metadata.annotations
  const named = await ask('operator', 'PUT', path, { displayName: 'Team A' })
  assert.equal(named.status, 200, named.text)
  assert.equal(annotations(named)?.['mesh.dev/display-name'], 'Team A')
  assert.equal(
    annotations(await ask('operator', 'PUT', path, { displayName: '' }))?.['mesh.dev/display-name'],
    undefined,
  )
  assert.equal((await ask('developer', 'PUT', path, { displayName: 'x' })).status, 403)
  assert.equal((await ask('operator', 'PUT', '/namespaces/a.b/display-name', { displayName: 'x' })).status, 400)
  assert.equal((await ask('operator', 'PUT', path, { displayName: 1 })).status, 400)
})
