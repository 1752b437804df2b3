import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Type } from 'typebox'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import { coreEndpoints } from '#core/http/health.ts'
import type { KubeObject, Resource } from '#core/kube/client.ts'
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
      version: '1.2.3',
      install: 'test',
      shownSettings: () => ({ 'runs.retentionDays': 30 }),
      plugins: () =>
        new Map([
          ['cost', { wiring: 'unwired', reason: 'unconfigured' }],
          ['providers', { wiring: 'unwired', reason: 'disabled', setting: 'disable' }],
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

test('a capability names the right that it needs, and the setting that enables it', real, async (t) => {
  const more = [
    reading('agents', 'agentdeployments'),
    reading('cost', 'costs', { wiring: 'unwired', reason: 'unconfigured', setting: 'DATABASE_URL' }),
    reading('library', 'shelves.library.example'),
  ]
  const { ask, namespace, other } = await setUp(t, more)
  const seen = async (query: string) => {
    const { capabilities } = (await ask('developer', 'GET', `/capabilities${query}`)).json<{
      capabilities: { id: string }[]
    }>()
    return (id: string) => capabilities.find((one) => one.id === id)
  }
  const anywhere = await seen('')
  const agents = { verb: 'list', resource: 'agentdeployments', group: 'mesh.dev' }
  assert.deepEqual(anywhere('agents'), { id: 'agents', enabled: true, requires: agents })
  const costs = { verb: 'list', resource: 'costs', group: 'mesh.dev' }
  const unconfigured = { enabled: false, reason: 'unconfigured', setting: 'DATABASE_URL' }
  assert.deepEqual(anywhere('cost'), { id: 'cost', ...unconfigured, requires: costs })
  const disabled = { id: 'providers', enabled: false, reason: 'disabled', setting: 'disable' }
  assert.deepEqual(anywhere('providers'), disabled)
  const shelves = { verb: 'list', resource: 'shelves', group: 'library.example' }
  assert.deepEqual(anywhere('library'), { id: 'library', enabled: false, reason: 'denied', requires: shelves })
  const requires = { ...agents, namespace }
  assert.deepEqual((await seen(`?namespace=${namespace}`))('agents'), { id: 'agents', enabled: true, requires })
  const denied = { id: 'agents', enabled: false, reason: 'denied', requires: { ...agents, namespace: other } }
  assert.deepEqual((await seen(`?namespace=${other}`))('agents'), denied)
  for (const query of ['?namespace=..', '?namespace=a%00b', '?namespace=%ED%A0%80', '?namespaces=a'])
    assert.equal((await ask('developer', 'GET', `/capabilities${query}`)).status, 400, query)
})

const RBAC = 'rbac.authorization.k8s.io/v1'
const rbacOf = (plural: string, kind: string): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})

interface SeenRules {
  readonly permissions?: {
    readonly namespace: string
    readonly complete: boolean
    readonly rules: readonly { readonly verbs: string[]; readonly groups: string[]; readonly resources: string[] }[]
  }
}

test('whoami lists the rules of the caller in a namespace', real, async (t) => {
  const { ask, admin, namespace, other } = await setUp(t)
  const permissionsOf = async (who: string, place: string) =>
    (await ask(who, 'GET', `/whoami?permissions=${place}`)).json<SeenRules>().permissions
  const mayCreateAgents = async (who: string, place: string) => {
    const permissions = await permissionsOf(who, place)
    assert.deepEqual([permissions?.namespace, permissions?.complete], [place, true])
    return permissions?.rules.some(
      ({ verbs, groups, resources }) =>
        verbs.includes('create') && groups.includes('mesh.dev') && resources.includes('agentdeployments'),
    )
  }
  assert.equal(await mayCreateAgents('developer', namespace), true)
  assert.equal(await mayCreateAgents('developer', other), false)
  assert.equal(await mayCreateAgents('viewer', namespace), false)
  await admin.create(rbacOf('roles', 'Role'), {
    apiVersion: RBAC,
    kind: 'Role',
    metadata: { name: 'one-secret', namespace },
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['crm'], verbs: ['get'] }],
  } as KubeObject)
  await admin.create(rbacOf('rolebindings', 'RoleBinding'), {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'one-secret', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one-secret' },
    subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
  } as KubeObject)
  const ofSecrets = (await permissionsOf('viewer', namespace))?.rules.filter(({ resources }) =>
    resources.includes('secrets'),
  )
  assert.deepEqual(ofSecrets, [{ verbs: ['get'], groups: [''], resources: ['secrets'], names: ['crm'] }])
  assert.equal((await ask('viewer', 'GET', '/whoami')).json<SeenRules>().permissions, undefined)
  for (const bad of ['', '..', 'a.b', 'a%00b', '%ED%A0%80', 'x'.repeat(64), 'a&permissions=b'])
    assert.equal((await ask('viewer', 'GET', `/whoami?permissions=${bad}`)).status, 400, bad)
  assert.equal((await ask('stranger', 'GET', `/whoami?permissions=${namespace}`)).status, 401)
})

test('the version names the build and the settings that are no secrets', real, async (t) => {
  const { ask } = await setUp(t)
  const { build, ...rest } = (await ask('unbound', 'GET', '/version')).json<{ build: Record<string, string> }>()
  assert.deepEqual(rest, {
    version: '1.2.3',
    install: 'test',
    profile: 'open',
    settings: { 'runs.retentionDays': 30 },
  })
  assert.match(build['digest'] ?? '', /^sha256:[0-9a-f]{64}$/)
  assert.deepEqual([build['node'], build['platform']], [process.versions.node, `${process.platform}-${process.arch}`])
  assert.equal((await ask('stranger', 'GET', '/version')).status, 401)
})

test('the right that decides about a plugin is its first list', () => {
  const get = reading('runs', 'runs')
  const single = {
    ...get,
    endpoint: { ...get.endpoint, authz: { kind: 'kube' as const, verb: 'get', resource: 'runs' } },
  }
  const group = 'mesh.dev'
  assert.deepEqual(questionOf([single, get]), { verb: 'list', resource: 'runs', group })
  assert.deepEqual(questionOf([single]), { verb: 'get', resource: 'runs', group })
  assert.equal(questionOf([]), undefined)
  const row = {
    ...get,
    endpoint: { ...get.endpoint, authz: { kind: 'row' as const, verb: 'list', resource: 'shares' } },
  }
  assert.deepEqual(questionOf([row, single]), { verb: 'get', resource: 'runs', group }, 'a row is asked about last')
  assert.deepEqual(questionOf([row]), { verb: 'list', resource: 'shares', group })
  const shelves = { verb: 'list', resource: 'shelves/pages', group: 'library.example' }
  assert.deepEqual(questionOf([reading('library', 'shelves.library.example/pages')]), shelves)
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
