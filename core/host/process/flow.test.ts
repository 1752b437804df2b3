import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { Role } from '#core/config/profile.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { startCollector } from '#core/telemetry/testing/collector.ts'
import type { Collector } from '#core/telemetry/testing/collector.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { startNats } from '#test/harness/nats.ts'
import { composeHost } from './compose-process.ts'
import type { Addresses } from './host.ts'
import { flowPlugins } from '../testing/flow/plugins.ts'

const roles: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const servers = needs('etcd', 'kube-apiserver', 'nats-server', 'initdb')
const resource = (group: string, plural: string, kind: string, namespaced: boolean) => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const rbac = 'rbac.authorization.k8s.io'

/** Creates a namespace where viewer lists and developer creates runs, and the environment of a process on real servers. */
async function setUp(t: TestContext) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const ns = await admin.create(resource('', 'namespaces', 'Namespace', false), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: `flow-${process.pid}-${Date.now().toString(36)}` },
  })
  const namespace = ns.metadata.name
  for (const [user, verbs] of [
    ['viewer', ['list']],
    ['developer', ['list', 'create']],
  ] as const) {
    const metadata = { name: user, namespace }
    await admin.create(resource(rbac, 'roles', 'Role', true), {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: ['mesh.dev'], resources: ['runs'], verbs }],
    })
    await admin.create(resource(rbac, 'rolebindings', 'RoleBinding', true), {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: user },
      subjects: [{ kind: 'User', name: user, apiGroup: rbac }],
    })
  }
  const folder = await mkdtemp(join(tmpdir(), 'mesh-flow-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'ca.crt'), kube.ca)
  // The API server is shared with other test files, so the platform's requests are recognised by its own account.
  const platform = await createPlatformAccount(admin, namespace)
  await writeFile(join(folder, 'token'), platform.token, { mode: 0o600 })
  const collector = await startCollector(t)
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    DATABASE_URL: await createDatabase(t),
    NATS_URL: (await startNats(t)).url,
    MESH_CLUSTER_SERVER: kube.url,
    MESH_CLUSTER_CA_FILE: join(folder, 'ca.crt'),
    MESH_CLUSTER_TOKEN_FILE: join(folder, 'token'),
    MESH_HOST: '127.0.0.1',
    MESH_BFF_PORT: '0',
    MESH_GATEWAY_PORT: '0',
    MESH_STATE_PORT: '0',
    MESH_ADMIN_PORT: '0',
    NOTES_MAX_LENGTH: '20',
  }
  return { kube, admin, namespace, env, collector, platform }
}

type Given = Awaited<ReturnType<typeof setUp>>

/** Exercises the three plugins as a user, independent of how they are run. */
async function flow({ kube, admin, namespace, collector, platform }: Given, addresses: Addresses): Promise<void> {
  const { bff = '', gateway = '', state = '' } = addresses
  const as = (persona: string, path: string, body?: object, headers: object = {}) =>
    fetch(`${bff}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${kube.tokens[persona] ?? ''}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const before = kube.auditLog().length
  const first = await as('developer', `/notes/${namespace}`, { text: 'one' }, { 'idempotency-key': 'k1', traceparent })
  assert.equal(first.status, 201, await first.clone().text())
  const repeated = await as('developer', `/notes/${namespace}`, { text: 'one' }, { 'idempotency-key': 'k1' })
  assert.deepEqual(
    [repeated.status, repeated.headers.get('idempotency-replayed'), await repeated.json()],
    [201, 'true', await first.json()],
  )
  const other = await as('developer', `/notes/${namespace}`, { text: 'two' }, { 'idempotency-key': 'k1' })
  assert.deepEqual([other.status, ((await other.json()) as { code: string }).code], [409, 'idempotency_conflict'])
  assert.equal((await as('developer', `/notes/${namespace}`, { text: 'two' })).status, 201)
  assert.equal((await as('developer', `/notes/${namespace}`, { text: 'x'.repeat(21) })).status, 400)
  const denied = await as('viewer', `/notes/${namespace}`, { text: 'no' })
  const problem = (await denied.json()) as { cluster: { message: string } }
  assert.equal(denied.status, 403)
  assert.match(problem.cluster.message, /User "viewer" cannot create resource "runs"/)
  assert.equal((await as('other-tenant', `/notes/${namespace}`)).status, 403)
  assert.deepEqual(await (await as('viewer', `/notes/${namespace}`)).json(), { items: ['one', 'two'] })
  await eventually(async () => assert.deepEqual(await (await as('viewer', `/tally/${namespace}`)).json(), { notes: 2 }))
  await checkTrace(collector, namespace)
  // The state role accepts pods with a token for it; the gateway accepts users as well.
  for (const [url, role, bearer] of [
    [`${gateway}/v1/ping`, 'gateway', kube.tokens['developer'] ?? ''],
    [`${state}/ping`, 'state', await issueToken(admin, namespace, 'state')],
  ] as const) {
    assert.equal((await fetch(url)).status, 401)
    assert.equal((await fetch(url, { headers: { authorization: 'Bearer some-token' } })).status, 401)
    assert.deepEqual(await (await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })).json(), { role })
  }
  const configMaps = resource('', 'configmaps', 'ConfigMap', true)
  const made = await admin.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'mirrored', namespace, labels: { mirror: 'wanted' } },
  })
  const ref = { namespace: parseLabel('ns', made.metadata.namespace ?? ''), name: parseName('name', 'mirrored') }
  await eventually(async () =>
    assert.equal((await admin.get(configMaps, ref)).metadata.annotations?.['mirrored'], 'yes'),
  )
  // K1: requests of the BFF to the cluster use the caller's identity.
  const asked = kube.auditLog(before).filter(({ objectRef }) => objectRef?.resource === 'selfsubjectaccessreviews')
  assert.ok(asked.length >= 5)
  const users = new Set(asked.map(({ user }) => user.username))
  for (const caller of ['developer', 'other-tenant', 'viewer']) assert.ok(users.has(caller), caller)
  assert.ok(!users.has(platform.username))
}

/** Creates an account with all rights, and a token of it for the API server. */
async function createPlatformAccount(admin: KubeClient, namespace: string) {
  const name = 'platform'
  const token = await issueToken(admin, namespace, undefined, name)
  await admin.create(resource(rbac, 'clusterrolebindings', 'ClusterRoleBinding', false), {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: namespace },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  })
  return { token, username: `system:serviceaccount:${namespace}:${name}` }
}

/** Creates an account and issues a token of it; without an audience it is for the API server. */
async function issueToken(
  admin: KubeClient,
  namespace: string,
  audience: string | undefined,
  name = `pod-${Date.now().toString(36)}`,
): Promise<string> {
  const accounts = resource('', 'serviceaccounts', 'ServiceAccount', true)
  const metadata = { name, namespace }
  await admin.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec: { audiences: audience === undefined ? [] : [audience], expirationSeconds: 600 },
  }
  const issued = await admin.create<KubeObject<unknown, { token: string }>>(accounts, request, { subresource: 'token' })
  return issued.status?.token ?? ''
}

const traceId = 'c0ffee'.padStart(32, '0')
const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`

/** One trace from the request through its event to its consumer, each operation under its cause, without content. */
async function checkTrace({ spans, bodies }: Collector, namespace: string): Promise<void> {
  // The caller's trace is a link, not the trace of the request (SEC26).
  const linked = () =>
    spans.find(({ attributes }) =>
      attributes.some(({ key, value }) => key === 'mesh.caller.trace_id' && value['stringValue'] === traceId),
    )
  const found = (name: string) => spans.find((span) => span.traceId === linked()?.traceId && span.name === name)
  // Each process exports separately.
  for (const name of ['POST /api/notes/:ns', 'process tally.count', 'publish dev.mesh.notes.added.v1'])
    await eventually(async () => assert.ok(found(name), name))
  const request = found('POST /api/notes/:ns')
  assert.deepEqual([request?.kind, request?.parentSpanId ?? ''], [2, ''])
  assert.notEqual(request?.traceId, traceId)
  for (const name of ['create selfsubjectreviews', 'create selfsubjectaccessreviews', 'transact'])
    assert.deepEqual([found(name)?.kind, found(name)?.parentSpanId], [3, request?.spanId], name)
  const cause = spans.find(({ spanId }) => spanId === found('process tally.count')?.parentSpanId)
  assert.deepEqual([cause?.name, cause?.parentSpanId], ['transact', request?.spanId])
  assert.deepEqual([found('process tally.count')?.kind, found('publish dev.mesh.notes.added.v1')?.kind], [5, 4])
  assert.equal(found('publish dev.mesh.notes.added.v1')?.parentSpanId, cause?.spanId)
  assert.doesNotMatch(bodies.join(''), new RegExp(`"one"|${namespace}|Bearer|developer|INSERT`))
}

async function eventually(check: () => Promise<void>): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > until) throw error
      await delay(25)
    }
  }
}

test(
  'flow: three plugins in one process, a container per role, on PostgreSQL, NATS and a kube-apiserver',
  servers,
  async (t) => {
    const given = await setUp(t)
    const lines: string[] = []
    const composed = await composeHost({
      roles,
      plugins: flowPlugins,
      env: given.env,
      generateKeys: true,
      version: '0.0.0',
      log: createLogger({ currentTrace, destination: { write: (line) => lines.push(line) } }),
    })
    t.after(() => composed.close())
    await composed.host.start()
    const { admin = '' } = composed.host.addresses()
    const readiness = await fetch(`${admin}/readyz?verbose`)
    assert.equal(readiness.status, 200, await readiness.text())
    await flow(given, composed.host.addresses())
    assert.match(
      await (await fetch(`${admin}/metrics`)).text(),
      /mesh_http_request_seconds_count\{method="POST",route="\/api\/notes\/:ns",status="2xx"\}/,
    )
    await composed.host.drain()
    assert.doesNotMatch(lines.join(''), new RegExp(given.platform.token))
  },
)

test('flow: the same three plugins as separate processes', servers, async (t) => {
  const given = await setUp(t)
  const migrate = startRole(t, given, 'migrate')
  assert.deepEqual(await migrate.ended, [0, null], migrate.log())
  const started = (['state', 'manager', 'worker', 'gateway', 'bff'] as const).map((role) => ({
    role,
    ...startRole(t, given, role),
  }))
  const addresses: Record<string, string> = {}
  for (const { role, ready, log } of started) {
    const found = await ready
    assert.ok(found, log())
    addresses[role] = found[role] ?? ''
    const readiness = await fetch(`${found['admin']}/readyz?verbose`)
    assert.equal(readiness.status, 200, await readiness.text())
  }
  await flow(given, addresses)
  for (const { child } of started) child.kill('SIGTERM')
  for (const { ended, log, role } of started) assert.deepEqual(await ended, [0, null], `${role}: ${log()}`)
})

function startRole(t: TestContext, { env }: Given, role: Role) {
  const child: ChildProcess = spawn(
    process.execPath,
    [fileURLToPath(new URL('../testing/flow/process.ts', import.meta.url)), role],
    {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const first = child.stdout === null ? undefined : once(createInterface(child.stdout), 'line')
  const ready = Promise.race([
    first?.then(([line]) => JSON.parse(String(line)) as Record<string, string>),
    ended.then(() => undefined),
  ])
  return { child, ended, ready, log: () => log }
}
