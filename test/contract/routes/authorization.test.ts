import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { personas } from '#local/personas.ts'
import { forms, startPlatform } from '#test/flows/platform.ts'
import type { RawRequest } from '#test/flows/platform/send.ts'
import { caseOf, cells, holdCell } from './matrix.ts'
import { routes } from './routes.ts'
import { fill, fingerprint } from './world.ts'
import type { World } from './world.ts'

const isRead = (route: string): boolean => route.startsWith('GET ')

for (const { form, options } of forms) {
  test(`K1 K3 the authorization matrix, computed by asking the API server: ${form}`, options, async (t) => {
    const world = await fill(await startPlatform(t, form))
    await t.test('every mounted route has a case, and declares what the case says', () => coverage(world))
    await t.test('D3: no, an empty or a malformed bearer is the same 401, without any call upstream', () =>
      noBearer(world),
    )
    await t.test('D3: a bearer that the cluster rejects is the same 401', () => garbage(world))
    await t.test('K1: reads are answered as the API server does, and asked as the caller alone', (inner) =>
      reads(world, inner),
    )
    await t.test('K1 D1: writes likewise; a denied one changes nothing', (inner) => writes(world, inner))
    await t.test('D1: a right that is granted or revoked counts at once', () => revoke(world))
    await t.test('X5: 405 with Allow for every path and other method', (inner) => otherMethods(world, inner))
    await t.test('X4: odd spellings of a path open nothing', () => oddSpellings(world))
  })
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { 'x-mesh-authz': string }>>>>
}

async function openApi({ platform }: World): Promise<OpenApi> {
  return (await platform.send({ path: '/openapi.json' })).json<OpenApi>()
}

async function coverage(world: World): Promise<void> {
  const { paths } = await openApi(world)
  const mounted = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operation['x-mesh-authz'],
    ]),
  )
  const expected = Object.entries(routes).map(([route, { authz }]) => [route, authz])
  const order = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1)
  assert.deepEqual(mounted.toSorted(order), expected.toSorted(order))
}

const unauthenticated =
  '{"type":"urn:mesh:error:unauthenticated","title":"A valid bearer token is required.","status":401,"code":"unauthenticated","retryable":false}'

async function expect401(world: World, request: RawRequest, place: string): Promise<void> {
  const answer = await world.platform.send(request)
  assert.deepEqual([answer.status, answer.text], [401, unauthenticated], place)
  assert.equal(answer.headers['www-authenticate'], 'Bearer')
}

async function noBearer(world: World): Promise<void> {
  const { upstream, tokens } = world.platform
  const given = [
    {},
    { authorization: 'Bearer ' },
    { authorization: 'Bearer' },
    { authorization: `Basic ${tokens.admin}` },
    { authorization: `Bearer ${tokens.admin} ${tokens.admin}` },
    { authorization: [`Bearer ${tokens.admin}`, `Bearer ${tokens.viewer}`] },
  ]
  const mark = await upstream.mark()
  for (const cell of cells())
    for (const headers of given)
      await expect401(
        world,
        { ...caseOf(cell).request(cell.target, world), headers },
        `${cell.route} ${JSON.stringify(headers)}`,
      )
  for (const cell of cells()) {
    const request = caseOf(cell).request(cell.target, world)
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}access_token=${tokens.admin}`
    await expect401(world, { ...request, path, bearer: tokens.admin }, `D5: ${cell.route}`)
  }
  const asked = (await upstream.since(mark)).filter(({ user }) => !user.startsWith('system:serviceaccount:'))
  assert.deepEqual(asked, [])
}

async function garbage(world: World): Promise<void> {
  const { upstream } = world.platform
  const mark = await upstream.mark()
  for (const cell of cells((route) => !route.endsWith('/fixture')))
    await expect401(world, { ...caseOf(cell).request(cell.target, world), bearer: 'not-a-token' }, cell.route)
  const asked = (await upstream.since(mark)).filter(({ user }) => !user.startsWith('system:serviceaccount:'))
  assert.ok(asked.length > 0)
  assert.deepEqual([...new Set(asked.map(({ status }) => status))], [401])
}

async function reads(world: World, t: TestContext): Promise<void> {
  const { upstream } = world.platform
  const held = { allowed: 0, refused: 0 }
  for (const persona of personas) {
    const mark = await upstream.mark()
    for (const cell of cells(isRead)) held[(await holdCell(world, persona, cell)).allowed ? 'allowed' : 'refused']++
    const others = (await upstream.since(mark)).filter(({ user, verb }) => user !== persona && verb !== 'watch')
    assert.deepEqual(others, [], `while ${persona} reads, nobody else asks the API server anything`)
  }
  t.diagnostic(`${held.allowed} cells allowed, ${held.refused} refused`)
}

async function writes(world: World, t: TestContext): Promise<void> {
  const { platform } = world
  const before = await fingerprint(platform)
  const mark = await platform.upstream.mark()
  const held = { allowed: 0, refused: 0 }
  let made = 0
  const asked = personas.flatMap((persona) => cells((route) => !isRead(route)).map((cell) => ({ persona, cell })))
  const hold = async ({ persona, cell }: (typeof asked)[number]): Promise<void> => {
    const { allowed } = await holdCell(world, persona, cell)
    held[allowed ? 'allowed' : 'refused']++
    if (allowed && ['POST /api/runs', 'POST /api/invoke'].includes(cell.route)) made++
  }
  // At once, since a run of an unknown agent waits two seconds for it to be observed. None of them keeps anything but runs.
  for (let from = 0; from < asked.length; from += 64) await Promise.all(asked.slice(from, from + 64).map(hold))
  // Everything that may be tried dry was; runs have no dry run, and each allowed one is there.
  assert.deepEqual(await fingerprint(platform), { ...before, runs: before.runs + made })
  const users = new Set((await platform.upstream.since(mark)).map(({ user }) => user))
  for (const role of ['bff', 'worker']) assert.ok(!users.has(`system:serviceaccount:mesh-system:mesh-${role}`), role)
  t.diagnostic(`${held.allowed} cells allowed, ${held.refused} refused, ${made} runs`)
}

async function revoke(world: World): Promise<void> {
  const { kube, tokens } = world.platform
  const bearer = tokens.admin
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/other/rolebindings'
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'matrix', namespace: 'other' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'mesh-developer' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
  }
  const asked = cells((route) => isRead(route)).filter(({ target }) => target.namespace === 'other' && target.exists)
  const hold = async (isAllowed: boolean): Promise<void> => {
    // A watch of the authorizer sees the binding some milliseconds later; from then on the API must too.
    const probe = { path: '/apis/mesh.dev/v1alpha1/namespaces/other/agentdeployments/matrix', bearer: tokens.viewer }
    while (((await kube(probe)).status === 200) !== isAllowed);
    for (const cell of asked) await holdCell(world, 'viewer', cell)
  }
  await hold(false)
  assert.equal((await kube({ method: 'POST', path, bearer, body: binding })).status, 201)
  await hold(true)
  assert.equal((await kube({ method: 'DELETE', path: `${path}/matrix`, bearer })).status, 200)
  await hold(false)
}

const common = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

async function otherMethods(world: World, t: TestContext): Promise<void> {
  const { send, tokens } = world.platform
  const mark = await world.platform.upstream.mark()
  let held = 0
  for (const [path, operations] of Object.entries((await openApi(world)).paths)) {
    const methods = Object.keys(operations).map((method) => method.toUpperCase())
    const allow = common.filter((method) => methods.includes(method) || (method === 'HEAD' && methods.includes('GET')))
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'kind' ? 'agent' : 'demo'))
    for (const method of [...common, 'PROPFIND'].filter((one) => !allow.includes(one))) {
      const answer = await send({ method, path: url, bearer: tokens.viewer })
      const wanted = path.endsWith('/fixture') ? [501, undefined] : [405, allow.join(', ')]
      assert.deepEqual([answer.status, answer.headers['allow']], wanted, `${method} ${url}: ${answer.text}`)
      assert.equal((await send({ method, path: url })).status, 401, `${method} ${url} without a bearer`)
      held++
    }
  }
  const asked = (await world.platform.upstream.since(mark)).filter(({ user }) => user === 'viewer')
  assert.deepEqual(asked, [], 'a wrong method asks nobody')
  t.diagnostic(`${held} cells`)
}

const spellings: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace('/api/', '/api//'),
  (path) => path.replace('/api/', '/API/'),
  (path) => path.replace('/api/', '/%61pi/'),
  (path) => path.replace('/api/', '/api%2f'),
  (path) => path.replace('/api/', '/x/../api/'),
  (path) => path.replace('/api/', '/api/./'),
  (path) => path.replace('/api/', '/\\api/'),
  (path) => `${path};a=b`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
]

async function oddSpellings(world: World): Promise<void> {
  const { send, tokens } = world.platform
  // Spelling is the router's business, whatever the target: one of each route.
  const one = new Map(cells().map((cell) => [cell.route, cell]))
  for (const { route, target } of one.values()) {
    const request = caseOf({ route, target }).request(target, world)
    const [path = '', query] = request.path.split('?')
    const straight = await send({ ...request, bearer: tokens.viewer })
    for (const spell of spellings) {
      const odd = { ...request, path: `${spell(path)}${query === undefined ? '' : `?${query}`}` }
      const without = await send(odd)
      assert.ok([401, 404].includes(without.status), `${odd.path} without a bearer: ${without.status}`)
      const as = await send({ ...odd, bearer: tokens.viewer })
      assert.ok(
        [400, 404, 405, straight.status].includes(as.status),
        `${odd.path}: ${as.status}, and straight ${straight.status}`,
      )
    }
  }
}
