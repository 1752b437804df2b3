import assert from 'node:assert/strict'
import { accountOf, as } from './credentials.ts'
import type { Credential } from './credentials.ts'
import { causedRequests } from './caused-requests.ts'
import { holdDenials } from './denials.ts'
import type { Denial } from './denials.ts'
import { sendCell, caseOf, cells, expectedOf, holdCell, problemOf } from './matrix.ts'
import type { Cell, Expected } from './matrix.ts'
import { routes } from './routes.ts'
import { sampled } from './sample.ts'
import { askedBy, SHARE } from './asked-cells.ts'
import { snapshot } from './snapshot.ts'
import { openApi } from './openapi-client.ts'
import type { Summary } from './summary.ts'
import type { World } from './world.ts'

const isRead = (route: string): boolean => route.startsWith('GET ')

/** Every mounted route has a case that states the same check as the route. */
export async function coverage(world: World): Promise<void> {
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

/** Every route is asked by a caller that may and by one that may not, also in everyday tests. */
export async function bothAnswers(world: World): Promise<void> {
  // The caller of whom the answer is most likely comes first.
  const known = world.credentials.filter(({ user }) => user !== undefined)
  const unlikely = known.toReversed()
  const missing: string[] = []
  for (const [route, one] of Object.entries(routes)) {
    if (!(await isAsked(world, { route, callers: known, denied: false }))) missing.push(`${route}: allowed`)
    if (one.public === true) continue
    // Without a right to ask for, only callers without a user are refused.
    const isForAll = cells((picked) => picked === route).every(
      ({ target }) => one.questions(target, world).length === 0,
    )
    const callers = isForAll ? world.credentials : unlikely
    if (!(await isAsked(world, { route, callers, denied: true }))) missing.push(`${route}: refused`)
  }
  assert.deepEqual(missing, [])
}

interface Wanted {
  readonly route: string
  readonly callers: readonly Credential[]
  readonly denied: boolean
}

async function isAsked(world: World, { route, callers, denied }: Wanted): Promise<boolean> {
  for (const credential of callers)
    for (const cell of askedBy(credential, (picked) => picked === route))
      if ((await expectedOf(world, credential, cell)).denied === denied) return true
  return false
}

/** No bearer, a malformed or duplicated one, or one in the query: the same 401, and no request to the API server (D3, D5). */
export async function noBearer(world: World, summary: Summary): Promise<void> {
  const { upstream, tokens } = world.platform
  const given = [
    {},
    { authorization: 'Bearer ' },
    { authorization: 'Bearer' },
    { authorization: `Basic ${tokens.admin}` },
    { authorization: `Bearer ${tokens.admin} ${tokens.admin}` },
    { authorization: [`Bearer ${tokens.admin}`, `Bearer ${tokens.viewer}`] },
  ].map((headers): Credential => ({ name: JSON.stringify(headers), headers }))
  const mark = await upstream.mark()
  for (const cell of sampled(cells(), SHARE)) {
    for (const credential of given) await summary.hold('no bearer', () => sendCell(world, credential, cell))
    // A public route has no bearer: its parameter is unknown as any other.
    const misplaced = caseOf(cell).public === true ? 400 : 401
    await summary.hold('no bearer', async () => {
      const request = caseOf(cell).request(cell.target, world)
      const path = `${request.path}${request.path.includes('?') ? '&' : '?'}access_token=${tokens.admin}`
      const answer = await world.platform.send({ ...request, path, bearer: tokens.admin })
      assert.equal(answer.status, misplaced, `D5: ${cell.route}`)
    })
    summary.add('no bearer', 'cells', given.length + 1)
  }
  assert.deepEqual(await causedRequests(world.platform, mark), [])
}

/** Reads with every credential. While one credential reads, the API server receives no request of another (K1). */
export async function reads(world: World, summary: Summary): Promise<void> {
  for (const credential of world.credentials) {
    const mark = await world.platform.upstream.mark()
    for (const cell of askedBy(credential, isRead)) {
      await summary.hold(credential.name, async () => {
        count(summary, credential, await sendCell(world, credential, cell))
      })
    }
    const refusals = await holdUpstream(world, credential, mark)
    if (credential.user === undefined)
      assert.deepEqual([...new Set(refusals)], isSeen(credential) ? [401] : [], credential.name)
  }
}

function count(summary: Summary, { name }: Credential, expected: Expected): void {
  summary.add(name, 'cells')
  if (expected.status === 401) summary.add(name, 'unauthenticated')
  else if (expected.denied) summary.add(name, 'denied')
  else if (expected.status < 300) summary.add(name, 'allowed')
  else summary.add(name, 'other')
}

// Excludes reviews that the gateway makes as itself. Returns the statuses of requests without a user; an unknown bearer that was refused
// within the last seconds is not sent again.
async function holdUpstream({ platform }: World, credential: Credential, mark: number): Promise<readonly number[]> {
  const since = await causedRequests(platform, mark)
  const own = credential.user ?? ''
  const others = since.filter(({ user }) => user !== own && user !== accountOf('gateway'))
  assert.deepEqual(others, [], `K1: while ${credential.name} asks, the API server gets no request of another`)
  const statuses = since.filter(({ user }) => user === '').map(({ status }) => status)
  if (credential.user === undefined)
    assert.ok(
      statuses.every((status) => status === 401 && isSeen(credential)),
      credential.name,
    )
  return statuses
}

// An expired token is refused before the API server is asked.
const isSeen = ({ bearer, name }: Credential): boolean => bearer !== undefined && name !== 'expired'

interface ExpectedCell {
  readonly credential: Credential
  readonly cell: Cell
  readonly expected: Expected
}

/** Mutations that the API server refuses: they are refused, change nothing, and are one audit row each. */
export async function deniedWrites(world: World, summary: Summary): Promise<void> {
  const asked = (await expectWrites(world)).filter(({ expected }) => expected.denied)
  const before = await snapshot(world.platform)
  const sent: Denial[] = []
  for (const credential of world.credentials) {
    const own = asked.filter((one) => one.credential === credential)
    const mark = await world.platform.upstream.mark()
    await inBatches(own, async ({ cell, expected }) => {
      await summary.hold(credential.name, async () => {
        const answer = await holdCell(world, credential, { cell, expected })
        if (expected.status !== 403) return
        sent.push({ user: credential.user ?? '', cell, traceId: problemOf(answer)?.traceId ?? '' })
      })
      count(summary, credential, expected)
    })
    await holdUpstream(world, credential, mark)
  }
  assert.deepEqual(await snapshot(world.platform), before, 'a denied mutation changes nothing')
  await summary.hold('audit of denials', () => holdDenials(world.platform, sent))
  summary.add('audit of denials', 'cells', sent.length)
}

async function expectWrites(world: World): Promise<readonly ExpectedCell[]> {
  const asked: ExpectedCell[] = []
  for (const credential of world.credentials)
    for (const cell of askedBy(credential, (route) => !isRead(route)))
      asked.push({ credential, cell, expected: await expectedOf(world, credential, cell) })
  return asked
}

/** Allowed mutations, with dry run where possible: only runs are created, and the accounts of BFF and worker send no request. */
export async function allowedWrites(world: World, summary: Summary): Promise<void> {
  const asked = (await expectWrites(world)).filter(({ expected }) => !expected.denied)
  const before = await snapshot(world.platform)
  const mark = await world.platform.upstream.mark()
  // In parallel, since creating a run of an unknown agent waits two seconds for the agent to be observed.
  await inBatches(asked, async ({ credential, cell, expected }) => {
    await summary.hold(credential.name, () => holdCell(world, credential, { cell, expected }))
    count(summary, credential, expected)
  })
  const made = asked.filter(({ cell, expected }) => expected.status < 300 && makesRuns.has(cell.route))
  const after = await snapshot(world.platform)
  assert.deepEqual(after.objects, before.objects)
  assert.equal(after.runs, before.runs + made.length, 'each allowed run is there, once')
  const users = new Set((await causedRequests(world.platform, mark)).map(({ user }) => user))
  // The credential `bff` is the account as a caller, so its requests are expected.
  const callers = new Set(asked.map(({ credential }) => credential.user))
  for (const role of ['bff', 'worker'])
    assert.ok(!users.has(accountOf(role)) || callers.has(accountOf(role)), `K1: ${role} asked as itself`)
}

const makesRuns: ReadonlySet<string> = new Set([
  'POST /api/runs',
  'POST /api/runs/{id}/retry',
  'POST /api/invoke',
  'POST /api/agents/{ns}/{name}/ag-ui',
  'POST /api/datasets/{name}/export',
])

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += 64) await Promise.all(all.slice(from, from + 64).map(work))
}

/** A grant or a revocation takes effect immediately for every read in the other namespace (D1, M8). */
export async function revoke(world: World, summary: Summary): Promise<void> {
  const { kube, tokens } = world.platform
  const viewer = world.credentials.find(({ name }) => name === 'viewer')
  assert.ok(viewer !== undefined)
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
    // The authorizer observes the binding some milliseconds later. From then on the API must observe it too.
    const probe = as(viewer, { path: '/apis/mesh.dev/v1alpha1/namespaces/other/agentdeployments/matrix' })
    while (((await kube(probe)).status === 200) !== isAllowed);
    for (const cell of asked) await summary.hold('grant and revoke', () => sendCell(world, viewer, cell))
    summary.add('grant and revoke', 'cells', asked.length)
  }
  const bearer = tokens.admin
  await hold(false)
  assert.equal((await kube({ method: 'POST', path, bearer, body: binding })).status, 201)
  await hold(true)
  assert.equal((await kube({ method: 'DELETE', path: `${path}/matrix`, bearer })).status, 200)
  await hold(false)
}
