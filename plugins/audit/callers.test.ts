import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { Role } from '#core/config/profile.ts'
import { composeHost } from '#core/host/process/compose-process.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { identity } from '#plugins/identity/index.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { startNats } from '#test/harness/nats.ts'
import { audit } from './index.ts'

const kinds = kindsOf(plugins)

const rbac = 'rbac.authorization.k8s.io'
const resource = (group: string, plural: string, kind: string, namespaced = true): Resource => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const namespaces = resource('', 'namespaces', 'Namespace', false)
const templates: Resource = { ...AgentTemplate, namespaced: true }

/** All verbs of one kind that the manager watches. */
const catalog = definePlugin({
  contract: 1,
  name: 'catalog',
  settings: Type.Object({}),
  create: () => ({}),
  routes: () => resourceRoutes(AgentTemplate, { path: '/catalog', verbs: ['create', 'get', 'update', 'delete'] }),
  informers: [{ resource: templates, resourceKind: AgentTemplate.kind }],
})

const forms = [
  { name: 'embedded API server, PGlite', options: {}, start: startEmbedded },
  {
    name: 'kube-apiserver, PostgreSQL',
    options: needs('etcd', 'kube-apiserver', 'kubectl', 'initdb'),
    start: startReal,
  },
] as const

interface Cluster {
  readonly url: string
  readonly ca?: string
  readonly token: (user: string) => string
  readonly databaseUrl?: string
}

async function startEmbedded(t: TestContext): Promise<Cluster> {
  const users = ['admin', 'developer', 'operator', 'viewer']
  const server = await startTestServer(t, {
    crds: kinds.map(toCrd),
    tokens: users.map((user) => ({
      token: `token-${user}`,
      username: user,
      uid: user,
      groups: user === 'admin' ? ['system:masters'] : [],
    })),
  })
  return { url: server.url, token: (user) => `token-${user}` }
}

async function startReal(t: TestContext): Promise<Cluster> {
  const kube = await sharedKube(t)
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const crds = new URL('../../deploy/crds', import.meta.url).pathname
  for (const args of [
    ['apply', '--server-side', '--force-conflicts', '-k', crds],
    ['wait', '--for=condition=Established', '--timeout=30s', 'crd/agenttemplates.mesh.dev'],
  ]) {
    const done = await kubectl(config, args)
    assert.equal(done.code, 0, done.stderr)
  }
  const databaseUrl = await createDatabase(t)
  return { url: kube.url, ca: kube.ca, token: (user) => kube.tokens[user] ?? '', databaseUrl }
}

const everyRole: readonly Role[] = ['migrate', 'manager', 'worker', 'bff']

async function setUp(t: TestContext, start: (t: TestContext) => Promise<Cluster>, roles = everyRole, env = {}) {
  const closers: (() => unknown)[] = []
  t.after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const cluster = await start({ ...t, after: (fn: () => unknown) => void closers.push(fn) } as TestContext)
  const tls = cluster.ca === undefined ? {} : { ca: cluster.ca }
  const pool = createPool(cluster.url, tls)
  closers.push(() => pool.close())
  const admin = createKubeClient({ server: cluster.url, pool, bearer: cluster.token('admin') })
  const namespace = parseLabel('namespace', `audit-${process.pid}-${Date.now().toString(36)}`)
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await allow(admin, namespace, ['developer', 'operator'])
  const folder = mkdtempSync(join(tmpdir(), 'mesh-audit-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const run = async (what: readonly Role[]) => {
    const composed = await composeHost({
      roles: what,
      plugins: [identity, catalog, audit],
      version: '0.0.0',
      env: { ...env, ...(cluster.databaseUrl === undefined ? {} : { DATABASE_URL: cluster.databaseUrl }) },
      presets: {
        listen: { host: '127.0.0.1', bff: 0, gateway: 0, state: 0, admin: 0 },
        keysDir: join(folder, 'keys'),
      },
      cluster: {
        server: cluster.url,
        tls,
        bearerOf: (role) => (role === 'manager' ? cluster.token('admin') : undefined),
      },
      embeddedStore: { dir: 'memory://' },
      generateKeys: true,
      log: createLogger({ level: 'warn', destination: { write: (line) => t.diagnostic(line.trim()) } }),
    })
    closers.push(() => composed.close())
    await composed.host.start()
    return composed
  }
  const bff = (await run(roles)).host.addresses().bff ?? ''
  const as = async (user: string, method: string, path: string, body?: object) => {
    const answer = await fetch(`${bff}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${cluster.token(user)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, json: <T = KubeObject>() => JSON.parse(text) as T }
  }
  const rows = async (): Promise<readonly AuditEvent[]> => {
    const answer = await as('admin', 'GET', `/audit?namespace=${namespace}&limit=200`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<{ items: AuditEvent[] }>().items
  }
  return { admin, namespace, as, rows, run }
}

async function allow(admin: ReturnType<typeof createKubeClient>, namespace: string, users: readonly string[]) {
  const metadata = { name: 'writers', namespace }
  await admin.create(resource(rbac, 'roles', 'Role'), {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata,
    rules: [
      { apiGroups: ['mesh.dev'], resources: ['agenttemplates'], verbs: ['get', 'create', 'update', 'delete'] },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'patch'] },
    ],
  })
  await admin.create(resource(rbac, 'rolebindings', 'RoleBinding'), {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'writers' },
    subjects: users.map((name) => ({ kind: 'User', name, apiGroup: rbac })),
  })
}

for (const { name, options, start } of forms)
  test(`A4 on ${name}: a change through the API is one row with its exact caller`, options, async (t) => {
    const { admin, namespace, as, rows } = await setUp(t, start)
    const spec = (title: string) => ({ title, template: { spec: {} } })
    const item = `/catalog/${namespace}/one`
    const ok = async (answer: Promise<{ status: number; text: string; json: <T>() => T }>) => {
      const { status, text, json } = await answer
      assert.ok(status < 300, text)
      return status === 204 ? undefined : json<KubeObject>()
    }
    // kubectl is known by a guess only. Rows of both kinds show that the informers watch: a first list merges changes.
    const direct = { metadata: { name: 'direct', namespace }, spec: spec('1') }
    const apiVersion = 'mesh.dev/v1alpha1'
    await admin.create(templates, { apiVersion, kind: 'AgentTemplate', ...direct }, { fieldManager: 'kubectl' })
    const ofNamespace = async () => {
      const { items } = (await as('admin', 'GET', '/audit?kind=Namespace&limit=200')).json<{
        items: AuditEvent[]
      }>()
      const own = items.filter((row) => row.resource_name === namespace)
      return own.map((row) => [row.action, row.actor]).toReversed()
    }
    await eventually(async () => assert.deepEqual([(await rows()).length, (await ofNamespace()).length], [1, 1]))
    const create = (user: string, object: object) => ok(as(user, 'POST', '/catalog', object))
    const made = await create('developer', { metadata: { name: 'one', namespace }, spec: spec('1') })
    const second = await ok(as('operator', 'PUT', item, { metadata: made?.metadata, spec: spec('2') }))
    // Neither the same content nor a dry run is a change.
    await ok(as('developer', 'PUT', item, { metadata: second?.metadata, spec: spec('2') }))
    await ok(as('developer', 'PUT', `${item}?dryRun=All`, { metadata: {}, spec: spec('9') }))
    await ok(as('developer', 'DELETE', `${item}?dryRun=All`))
    await ok(as('developer', 'PUT', item, { metadata: {}, spec: spec('3') }))
    const denied = await as('viewer', 'DELETE', item)
    assert.equal(denied.status, 403)
    await ok(as('operator', 'DELETE', item))
    await create('developer', { metadata: { name: 'held', namespace, finalizers: ['mesh.dev/test'] }, spec: spec('1') })
    await ok(as('operator', 'DELETE', `/catalog/${namespace}/held`))
    const held = { namespace, name: parseName('name', 'held') }
    const bare = { type: 'merge', body: { metadata: { finalizers: null } } } as const
    await admin.patch(templates, held, bare, { fieldManager: 'cleaner' })
    // A no-op patch does not take the change of another caller.
    const rename = (user: string) =>
      ok(as(user, 'PUT', `/namespaces/${namespace}/display-name`, { displayName: 'Audited' }))
    await rename('developer')
    const labelled = { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } } as const
    // Managed fields have whole seconds: of two managers in one second the guess is the last by name.
    await admin.patch(namespaces, { name: namespace }, labelled, { fieldManager: 'other' })
    await rename('operator')
    await create('developer', { metadata: { name: 'marker', namespace }, spec: spec('1') })

    const kind = 'AgentTemplate'
    const expected = [
      ['create', kind, 'direct', 'manager:kubectl', 'controller', 'success'],
      ['create', kind, 'held', 'developer', 'controller', 'success'],
      ['create', kind, 'marker', 'developer', 'controller', 'success'],
      ['create', kind, 'one', 'developer', 'controller', 'success'],
      ['delete', kind, 'held', 'operator', 'controller', 'success'],
      ['delete', kind, 'one', 'operator', 'controller', 'success'],
      ['delete', kind, 'one', 'viewer', 'bff', 'denied'],
      ['update', kind, 'held', 'operator', 'controller', 'success'],
      ['update', kind, 'one', 'developer', 'controller', 'success'],
      ['update', kind, 'one', 'operator', 'controller', 'success'],
    ]
    const reported = async () =>
      (await rows())
        .map((row) => [row.action, row.resource_kind, row.resource_name, row.actor, row.source, row.outcome])
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
    await eventually(async () => assert.deepEqual(await reported(), expected))
    assert.equal((await rows()).filter(({ trace_id: trace }) => trace !== null).length, 9)
    await eventually(async () =>
      assert.deepEqual((await ofNamespace()).slice(1), [
        ['update', 'developer'],
        ['update', 'manager:other'],
      ]),
    )
  })

test(
  'A4: an object created and deleted while no manager watched has one late deletion, over replicas and restarts',
  { ...needs('etcd', 'kube-apiserver', 'kubectl', 'initdb', 'nats-server'), timeout: 480_000 },
  async (t) => {
    const nats = await startNats(t)
    const { admin, namespace, as, rows, run } = await setUp(t, startReal, ['migrate', 'worker', 'bff'], {
      NATS_URL: nats.url,
    })
    const templateOf = (name: string) => {
      const spec = { title: name, template: { spec: {} } }
      return { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentTemplate', metadata: { name, namespace }, spec }
    }
    const add = (name: string) => admin.create(templates, templateOf(name))
    const remove = (name: string) => admin.delete(templates, { namespace, name: parseName('name', name) })
    const make = async (name: string) => {
      const answer = await as('developer', 'POST', '/catalog', templateOf(name))
      assert.equal(answer.status, 201, answer.text)
    }
    const reported = async (): Promise<readonly string[]> =>
      (await rows())
        .map(
          ({ action, resource_name: name, actor, detail }) =>
            `${action} ${name} ${actor}${detail['late'] ? ' late' : ''}`,
        )
        .toSorted()
    await add('before')
    const old = await add('old')
    const titled = { ...templateOf('old'), metadata: old.metadata, spec: { ...templateOf('old').spec, title: 'new' } }
    assert.equal((await as('operator', 'PUT', `/catalog/${namespace}/old`, titled)).status, 200)
    for (const name of ['lost', 'reborn', 'kept', 'both']) await make(name)
    assert.equal((await as('operator', 'DELETE', `/catalog/${namespace}/both`)).status, 204)
    for (const name of ['before', 'old', 'lost', 'reborn']) await remove(name)
    await add('reborn')
    const expected = [
      'create both developer',
      'create kept developer late',
      'create lost developer',
      'create reborn developer',
      'create reborn manager:mesh late',
      'delete both operator late',
      'delete lost unknown late',
      'delete old unknown late',
      'delete reborn unknown late',
      'update old operator',
    ]
    const managers = await Promise.all([run(['manager']), run(['manager'])])
    await eventually(async () => assert.deepEqual(await reported(), expected), 60_000)
    await Promise.all(managers.map((manager) => manager.close()))
    await make('marker')
    await remove('marker')
    await run(['manager'])
    // The next manager resumes at the stored version.
    const more = ['create marker developer', 'delete marker unknown']
    await eventually(async () => assert.deepEqual(await reported(), [...expected, ...more].toSorted()), 60_000)
  },
)

async function eventually(check: () => Promise<void>, withinMs = 60_000): Promise<void> {
  const end = performance.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
