import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Pool } from 'undici'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { InvalidName, parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import { KubeError } from '#core/kube/status.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { askAccess } from './access-review.ts'
import { createCallers } from './callers.ts'
import { createOwnIdentity } from './token-review.ts'

const real = needs('etcd', 'kube-apiserver')
const rbac = (plural: string, kind: string): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})
const roles = rbac('roles', 'Role')
const roleBindings = rbac('rolebindings', 'RoleBinding')
const accounts: Resource = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

async function setUp(t: TestContext) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const clock = { now: 0 }
  const callers = createCallers({ server: kube.url, pool, now: () => clock.now })
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const namespace = parseLabel('namespace', `caller-${process.pid}-${++count}`)
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  return { kube, pool, callers, admin, namespace, clock, token: (name: string) => kube.tokens[name] ?? '' }
}
let count = 0

const role = (namespace: string, name: string, rule: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { namespace, name },
  rules: [rule],
})
const binding = (namespace: string, name: string, user: string): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { namespace, name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
})
const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  )

test('a caller is named by the cluster; a bearer that it rejects is unauthenticated', real, async (t) => {
  const { callers, token } = await setUp(t)
  const caller = await callers.as(token('viewer'))
  assert.equal(caller.username, 'viewer')
  assert.ok((await caller.whoami()).groups.includes('mesh:viewers'))
  for (const bearer of ['garbage', '', 'a b']) {
    const error = await thrown(callers.as(bearer))
    assert.ok(error instanceof Fail && error.code === 'unauthenticated', String(error))
  }
})

test('D1: only the username is remembered, for 5 s, by the whole token', real, async (t) => {
  const { callers, kube, admin, namespace, clock } = await setUp(t)
  const bearer = await issueToken(admin, namespace, 'memo', 'https://kubernetes.default.svc')
  const username = `system:serviceaccount:${namespace}:memo`
  const asked = () =>
    kube.auditLog().filter((one) => one.user.username === username && one.requestURI.includes('selfsubjectreviews'))
      .length
  await Promise.all([callers.as(bearer), callers.as(bearer)])
  clock.now = 4_999
  await callers.as(bearer)
  const longer = await thrown(callers.as(`${bearer}x`)) // the same prefix, but another token
  assert.ok(longer instanceof Fail)
  assert.equal(asked(), 1)
  clock.now = 5_001
  await callers.as(bearer)
  assert.equal(asked(), 2)
})

test('SEC4: a rejection is cached for 2 s, apart from accepted tokens', real, async (t) => {
  const { kube, pool, admin, namespace } = await setUp(t)
  const clock = { now: 0 }
  const asked: string[] = []
  const counting: KubePool = {
    ...pool,
    calls: pool.calls.compose((dispatch) => (options, handler) => {
      asked.push(options.path)
      return dispatch(options, handler)
    }),
  }
  const callers = createCallers({ server: kube.url, pool: counting, now: () => clock.now })
  const own = createOwnIdentity({
    cluster: createKubeClient({ server: kube.url, pool: counting, bearer: kube.tokens['admin'] ?? '' }),
    now: () => clock.now,
  })
  const refused = async (): Promise<void> => {
    assert.ok((await thrown(callers.as('unknown'))) instanceof Fail)
    assert.equal(await own.authenticate('unknown', 'gateway'), undefined)
  }
  await refused()
  clock.now = 1_999
  await refused()
  assert.equal(asked.length, 2)
  assert.ok(callers.knows('unknown') && own.knows('unknown', 'gateway'))
  assert.ok(!callers.knows('other') && !own.knows('unknown', 'state'))
  clock.now = 2_001
  await refused()
  assert.equal(asked.length, 4)
  const bearer = await issueToken(admin, namespace, 'known', 'gateway')
  await own.authenticate(bearer, 'gateway')
  clock.now += 599_000
  assert.ok(own.knows(bearer, 'gateway'), 'exempt from the bounds for unknown bearers')
  await own.authenticate(bearer, 'gateway')
  assert.equal(asked.length, 6, 'and authenticated again')
  clock.now += 601_000
  assert.ok(!own.knows(bearer, 'gateway'))
})

test('M8: a grant and a revoke count at once: no allow decision is cached', real, async (t) => {
  const { callers, admin, namespace, token } = await setUp(t)
  const caller = await callers.as(token('unbound'))
  assert.equal(await caller.may('list', 'runs', { namespace }), undefined)
  await admin.create(roles, role(namespace, 'runs', { apiGroups: ['mesh.dev'], resources: ['runs'], verbs: ['list'] }))
  const bound = await admin.create(roleBindings, binding(namespace, 'runs', 'unbound'))
  const access = await eventually(() => caller.may('list', 'runs', { namespace }))
  const whole = { group: undefined, name: undefined }
  assert.deepEqual({ ...access }, { verb: 'list', resource: 'runs', namespace, username: 'unbound', ...whole })
  assert.equal(await caller.may('get', 'runs', { namespace }), undefined)
  await admin.delete(roleBindings, { namespace, name: parseLabel('name', bound.metadata.name) })
  await eventually(async () =>
    (await caller.may('list', 'runs', { namespace })) === undefined ? 'revoked' : undefined,
  )
})

test("a refused review reads like the API server's own 403", real, async (t) => {
  const { callers, namespace, token } = await setUp(t)
  const caller = await callers.as(token('unbound'))
  const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
  // The real authorizer, asked the same for a real resource, gives the expected wording.
  const cases = [
    { verb: 'list', where: { namespace, group: '' }, own: () => caller.cluster.list(secrets, { namespace }) },
    { verb: 'list', where: { namespace: '' as const, group: '' }, own: () => caller.cluster.list(secrets) },
    {
      verb: 'get',
      where: { namespace, group: '', name: 'x' },
      own: () => caller.cluster.get(secrets, { namespace, name: parseLabel('name', 'x') }),
    },
  ]
  for (const { verb, where, own } of cases) {
    const [ours, theirs] = [await thrown(caller.review(verb, 'secrets', where)), await thrown(own())]
    assert.ok(ours instanceof KubeError && theirs instanceof KubeError)
    assert.deepEqual(
      [ours.status, ours.reason, ours.message, ours.details],
      [403, theirs.reason, theirs.message, theirs.details],
    )
  }
  const virtual = await thrown(caller.review('create', 'agentdeployments/invoke', { namespace, name: 'a' }))
  assert.ok(virtual instanceof KubeError)
  assert.equal(
    virtual.message,
    `agentdeployments.mesh.dev "a" is forbidden: User "unbound" cannot create resource "agentdeployments/invoke" in API group "mesh.dev" in the namespace "${namespace}"`,
  )
})

test('M4: the namespace is parsed before the authorizer is asked, which would allow ".."', real, async (t) => {
  const { callers, token } = await setUp(t)
  const operator = await callers.as(token('admin'))
  for (const namespace of ['..', '.', '%2e', 'A', 'a/b'])
    await assert.rejects(operator.may('list', 'runs', { namespace: namespace as DnsLabel }), InvalidName)
})

test(
  'M1, M2: the API server itself would empty a namespace for ".", unless the role enumerates its verbs',
  real,
  async (t) => {
    const { admin, kube, namespace, token } = await setUp(t)
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'victim', namespace } }
    const maps: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }
    await admin.create(maps, map)
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'delete'] }
    await admin.create(roles, role(namespace, 'maps', rule))
    await admin.create(roleBindings, binding(namespace, 'maps', 'unbound'))
    // The request of a client that builds paths from text; ours refuses the name earlier (core/kube).
    const naive = async (bearer: string): Promise<number> => {
      const pool = new Pool(kube.url, { connect: { ca: kube.ca } })
      t.after(() => pool.close())
      // URL parsing treats `%2e` as `.` and removes it, which leaves the collection.
      const path = new URL(`/api/v1/namespaces/${namespace}/configmaps/%2e`, kube.url).pathname
      const answer = await pool.request({ method: 'DELETE', path, headers: { authorization: `Bearer ${bearer}` } })
      await answer.body.dump()
      return answer.statusCode
    }
    const victim = { namespace, name: parseLabel('name', 'victim') }
    assert.equal(await naive(token('unbound')), 403)
    assert.equal((await admin.get(maps, victim)).metadata.name, 'victim')
    assert.equal(await naive(token('admin')), 200)
    assert.ok((await thrown(admin.get(maps, victim))) instanceof KubeError)
  },
)

test('M3: a role with every resource of our group passes the review for a virtual one', real, async (t) => {
  const { callers, admin, namespace, token } = await setUp(t)
  const caller = await callers.as(token('unbound'))
  await admin.create(roles, role(namespace, 'all', { apiGroups: ['mesh.dev'], resources: ['*'], verbs: ['list'] }))
  await admin.create(roleBindings, binding(namespace, 'all', 'unbound'))
  await eventually(() => caller.may('list', 'auditlogs', { namespace }))
})

test('K3: a decision other than a clear yes denies; a missing decision is 503', async () => {
  const ask = (answer: unknown) =>
    askAccess(
      {
        ...createKubeClient({ server: 'http://127.0.0.1:1', bearer: 'x' }),
        review: <A>() => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as A)),
      },
      'someone',
      { verb: 'list', resource: 'runs', namespace: parseLabel('namespace', 'demo') },
    )
  assert.ok(await ask({ status: { allowed: true } }))
  for (const status of [{ allowed: false }, {}, { allowed: 'true' }, { allowed: 1 }, { allowed: true, denied: true }])
    assert.equal(await ask({ status }), undefined)
  const unclear = [
    {},
    { status: null },
    { status: { allowed: true, evaluationError: 'webhook failed' } },
    ...[500, 503, 504, 403, 404, 429].map((status) => new KubeError(status, 'x', 'x')),
  ]
  for (const answer of unclear) {
    const error = await thrown(ask(answer))
    assert.ok(
      error instanceof Fail && ['review_unavailable'].includes(error.code),
      `${JSON.stringify(answer)}: ${String(error)}`,
    )
  }
  const rejected = await thrown(ask(new KubeError(401, 'Unauthorized', 'x')))
  assert.ok(rejected instanceof Fail && rejected.code === 'unauthenticated')
})

test('a role authenticates a service account by audience, and reviews a subject for itself', real, async (t) => {
  const { admin, namespace, token } = await setUp(t)
  const own = createOwnIdentity({ cluster: admin })
  const bearer = await issueToken(admin, namespace, 'pod', 'gateway')
  const user = await own.authenticate(bearer, 'gateway')
  assert.equal(user?.username, `system:serviceaccount:${namespace}:pod`)
  assert.equal(await own.authenticate(bearer, 'state'), undefined)
  assert.equal(await own.authenticate('garbage', 'gateway'), undefined)
  assert.equal(await own.authenticate(token('viewer'), 'gateway'), undefined, 'a person has no token for an audience')
  const question = { verb: 'list', resource: 'runs', namespace }
  assert.equal(await own.subjectMay(user ?? assert.fail(), question), false)
  await admin.create(roles, role(namespace, 'runs', { apiGroups: ['mesh.dev'], resources: ['runs'], verbs: ['list'] }))
  await admin.create(roleBindings, binding(namespace, 'runs', user?.username ?? ''))
  await eventually(async () => ((await own.subjectMay(user ?? assert.fail(), question)) ? 'granted' : undefined))
})

test('a token that was not made for the audience is refused, also by an API server that does not know audiences', async () => {
  const answering = (status: object) =>
    createOwnIdentity({
      cluster: {
        ...createKubeClient({ server: 'http://127.0.0.1:1', bearer: 'x' }),
        review: <A>() => Promise.resolve({ status } as A),
      },
    }).authenticate('token', 'gateway')
  const user = { username: 'system:serviceaccount:demo:bot' }
  assert.equal((await answering({ authenticated: true, user, audiences: ['gateway'] }))?.username, user.username)
  for (const audiences of [undefined, [], ['state']])
    assert.equal(await answering({ authenticated: true, user, audiences }), undefined)
  // M-5: never a default identity.
  for (const status of [
    {},
    { authenticated: true, audiences: ['gateway'] },
    { authenticated: false, user, audiences: ['gateway'] },
  ])
    assert.equal(await answering(status), undefined)
})

async function issueToken(admin: KubeClient, namespace: string, name: string, audience: string): Promise<string> {
  await admin.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace },
    spec: { audiences: [audience], expirationSeconds: 600 },
  }
  const issued = await admin.create<KubeObject<unknown, { token: string }>>(accounts, request, { subresource: 'token' })
  return issued.status?.token ?? ''
}

/** RBAC changes reach the authorizer through its own informer, milliseconds later (M8). */
async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    assert.ok(performance.now() < end, 'not reached in time')
  }
}

test('A2: an API server that denies to name the caller is not available yet, which is no denial of the request', async (t) => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const error = await thrown(createCallers({ server: `http://127.0.0.1:${port}` }).as('someone'))
  assert.ok(error instanceof Fail)
  assert.deepEqual([error.code, /selfsubjectreviews/.test(error.message)], ['review_unavailable', true])
})
