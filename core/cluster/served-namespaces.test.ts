import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import { createServedDirectory } from './namespace-directory.ts'
import { createOwnIdentity } from './token-review.ts'
import { servedCluster } from './served-cluster.ts'
import { NAMESPACE_NOT_SERVED, namespaceKind, partQuery, partsOf, servedNamespaces } from './served-namespaces.ts'
import { createWatchStates } from '#core/controllers/watch/watch-states.ts'
import { silent } from '#core/controllers/testing/following.ts'

const agents: Resource = { group: 'mesh.dev', version: 'v1', plural: 'agents', kind: 'Agent', namespaced: true }
const tenants: Resource = { ...agents, plural: 'tenants', kind: 'Tenant', namespaced: false }
const served = servedNamespaces(['team-b', 'team-a'])

test('chosen namespaces: an empty list is every namespace, otherwise one part per namespace, in order', () => {
  const all = servedNamespaces([])
  assert.deepEqual([all.names, all.has('x'), all.has('')], [undefined, true, true])
  assert.deepEqual([served.has('team-a'), served.has('team-c'), served.has('')], [true, false, true])
  assert.deepEqual(partsOf(agents, all), [undefined])
  assert.deepEqual(partsOf(agents, served), ['team-a', 'team-b'])
  assert.deepEqual(partsOf(namespaceKind, served), ['team-a', 'team-b'])
  assert.deepEqual(partsOf(tenants, served), [undefined])
  const teamA = parseLabel('namespace', 'team-a')
  assert.deepEqual(partQuery(agents, teamA), { namespace: 'team-a' })
  assert.deepEqual(partQuery(namespaceKind, teamA), { fieldSelector: 'metadata.name=team-a' })
  for (const bad of ['', '*', 'Team', 'a\u0000', 'a'.repeat(64), '..', 'a/b', '\ud800'])
    assert.throws(() => servedNamespaces([bad]), /cluster.namespaces: must be an RFC 1123 label/, JSON.stringify(bad))
})

/** A client that returns `answer` for every call and counts the calls. */
function counting(answer: unknown) {
  const asked: string[] = []
  const cluster = new Proxy({} as KubeClient, {
    get: (_target, name) => async () => {
      asked.push(String(name))
      return answer
    },
    ownKeys: () => ['get', 'list', 'listRaw', 'create', 'replace', 'patch', 'delete', 'watch', 'podLogs', 'review'],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
  return { asked, cluster }
}

test('chosen namespaces: no request about another namespace reaches the API server', async () => {
  const { asked, cluster } = counting({ metadata: {} })
  const own = servedCluster(cluster, served)
  const namespace = parseLabel('namespace', 'team-c')
  const ref = { namespace, name: parseName('name', 'x') }
  const object: KubeObject = { apiVersion: 'v1', kind: 'Agent', metadata: { name: 'x', namespace } }
  const itself: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  const patch = { type: 'merge', body: {} } as const
  const refused: readonly (() => Promise<unknown>)[] = [
    () => own.get(agents, ref),
    () => own.list(agents, { namespace }),
    () => own.listRaw(agents, { namespace }),
    () => own.create(agents, object),
    () => own.replace(agents, object),
    () => own.patch(agents, ref, patch),
    () => own.delete(agents, ref),
    () => own.podLogs(ref, {}),
    () => own.get(namespaceKind, { name: namespace }),
    () => own.create(namespaceKind, itself),
    () => own.patch(namespaceKind, { name: namespace }, patch),
    () => own.delete(namespaceKind, { name: namespace }),
  ]
  for (const call of refused)
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof KubeError)
      assert.deepEqual([error.status, error.reason], [404, NAMESPACE_NOT_SERVED])
      return true
    })
  await assert.rejects(() => own.listRaw(agents), TypeError)
  const identity = createOwnIdentity({ cluster, served })
  const user = { username: 'x', uid: '', groups: [], extra: {} }
  assert.equal(await identity.subjectMay(user, { verb: 'get', resource: 'runs', namespace }), false)
  assert.deepEqual(asked, [])
  const known = { namespace: parseLabel('namespace', 'team-a'), name: ref.name }
  await own.get(agents, known)
  await own.get(tenants, { name: ref.name })
  assert.deepEqual(asked, ['get', 'get'])
})

test('chosen namespaces: a list of everything has objects of these alone', async () => {
  const of = (namespace?: string) => ({ metadata: { name: namespace ?? 'x', ...(namespace ? { namespace } : {}) } })
  const { cluster } = counting({ items: [of('team-a'), of('team-c'), of()], resourceVersion: '1', continue: 'next' })
  const own = servedCluster(cluster, served)
  const page = await own.list(agents)
  assert.deepEqual([page.items.map(({ metadata }) => metadata.name), page.continue], [['team-a', 'x'], 'next'])
  assert.deepEqual(
    (await own.list(namespaceKind)).items.map(({ metadata }) => metadata.name),
    ['team-a'],
  )
})

test('chosen namespaces: the directory has their names, without a store', async () => {
  const directory = createServedDirectory(served.names ?? [])
  assert.equal(directory.limited, true)
  assert.deepEqual(await directory.namesAfter('', 10), ['team-a', 'team-b'])
  assert.deepEqual(await directory.namesAfter('team-a', 10), ['team-b'])
  assert.deepEqual(await directory.namesAfter('', 1), ['team-a'])
})

test('what is not followed is reported by namespace, for some of many', () => {
  const states = createWatchStates({ log: silent })
  const bots = { group: 'mesh.dev', plural: 'bots', kind: 'Bot' }
  const jobs = { group: 'batch', plural: 'jobs', kind: 'Job' }
  const [first, second, third, all] = [
    states.add({ resource: bots, namespace: 'b' }),
    states.add({ resource: jobs, namespace: 'b' }),
    states.add({ resource: bots, namespace: 'a' }),
    states.add({ resource: { group: 'mesh.dev', plural: 'tenants', kind: 'Tenant' }, namespace: '' }),
  ]
  assert.deepEqual(states.notes(), [])
  for (const set of [first, second, all]) set?.('denied', { verb: 'list', account: 'manager' })
  third?.('absent')
  assert.deepEqual(states.notes(), [
    'all namespaces: list of tenants.mesh.dev is denied to manager',
    'namespace a does not exist',
    'namespace b: list of bots.mesh.dev, jobs.batch is denied to manager',
  ])
  for (const set of [first, second, third, all]) set?.('followed')
  assert.deepEqual(states.notes(), [])
  for (let index = 0; index < 60; index += 1) states.add({ resource: bots, namespace: `n${index}` })('denied')
  assert.deepEqual([states.notes().length, states.notes().at(-1)], [51, '10 more parts are not watched'])
})
