import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { objectCreated, objectDeleted, objectUpdated } from '#core/controllers/objects/object-events.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject, McpServerStatus } from '#schemas/crds/mcp-server.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '../../agents/testing/serve.ts'
import { streamOfServer } from '../contract/events.ts'
import { readManifest } from '../manifest/manifest.ts'
import { openMcpStore } from '../testing/mcp-store.ts'
import { createApprovals } from './approvals.ts'
import { approvalEndpoints } from './endpoints.ts'
import { createFindLastWriter } from './last-writer.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const inputSchema = { type: 'object' }
const one = readManifest(
  [
    { name: 'a', description: 'Reads.', inputSchema },
    { name: 'c', inputSchema },
  ],
  'host',
)
const two = readManifest(
  [
    { name: 'a', description: 'Sends all.', inputSchema },
    { name: 'b', inputSchema },
  ],
  'host',
)
const pinned = { manifestDigest: one.digest, tools: [...one.tools] }
const waiting = { proposed: { digest: two.digest, changes: ['changed a'], tools: [...two.tools] } }

/** The routes on a real API server with a store; the author of each server is what the test says. */
async function setUp(t: TestContext, { isRequired = true } = {}) {
  const store = await openMcpStore(t)
  let author: string | undefined = 'ann'
  const served = await servePlugin(t, 'mcp-approvals', () =>
    approvalEndpoints({ store, isRequired, findLastWriter: async () => author }),
  )
  const { admin, namespace, ask } = served
  const refOf = (name: string) => ({ namespace, name: parseName('name', name) })
  const make = async (name: string, status: McpServerStatus): Promise<McpServerObject> => {
    const spec = { url: 'https://tools.example.com/mcp' }
    await admin.create(McpServer, {
      apiVersion: McpServer.apiVersion,
      kind: McpServer.kind,
      metadata: refOf(name),
      spec,
    } as KubeObject)
    return admin.patch(McpServer, refOf(name), { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  const decide = (who: string, name: string, body: object, below = '') =>
    ask(who, 'POST', `/mcp/approvals/${namespace}/${name}${below}`, body)
  const approvedOf = async (server: McpServerObject) => [...(await createApprovals(store).approvedOf(server))]
  return { ...served, store, make, decide, approvedOf, writeAs: (name?: string) => (author = name) }
}

test('a manifest is shown as a diff, and approved by another person than its author', real, async (t) => {
  const { ask, namespace, make, decide, approvedOf, writeAs, outcomes, store } = await setUp(t)
  const server = await make('tools', { ...pinned, ...waiting })
  await make('quiet', pinned)
  const list = async (who: string) => ask(who, 'GET', `/mcp/approvals?namespace=${namespace}`)
  const { items } = (await list('viewer')).json<{ items: McpApproval[] }>()
  assert.equal(items.length, 1)
  const [shown] = items
  assert.deepEqual(
    [shown?.server, shown?.digest, shown?.acceptedDigest, shown?.author, shown?.decision],
    ['tools', two.digest, one.digest, 'ann', null],
  )
  assert.deepEqual(shown?.changes, [
    {
      change: 'changed',
      tool: 'a',
      before: { name: 'a', description: 'Reads.', inputSchema },
      after: { name: 'a', description: 'Sends all.', inputSchema },
    },
    { change: 'added', tool: 'b', after: { name: 'b', inputSchema } },
    { change: 'removed', tool: 'c', before: { name: 'c', inputSchema } },
  ])
  assert.equal((await list('unbound')).status, 403)
  const approval = { digest: two.digest, note: 'Read with the owner.' }
  assert.equal((await decide('viewer', 'tools', approval)).status, 403)
  assert.equal((await decide('developer', 'tools', approval)).status, 403)
  const codeOf = async (name: string, body: object, below = ''): Promise<string> => {
    const { status, json } = await decide('operator', name, body, below)
    return `${status} ${String(json()['code'])}`
  }
  assert.equal(await codeOf('tools', { digest: one.digest }), '409 manifest_changed')
  assert.equal(await codeOf('quiet', { digest: one.digest }), '409 manifest_changed')
  assert.equal(await codeOf('none', approval), '404 not_found')
  writeAs('operator')
  assert.equal(await codeOf('tools', approval), '403 author_may_not_approve')
  writeAs()
  assert.equal(await codeOf('tools', approval), '409 author_unknown')
  assert.deepEqual(await approvedOf(server), [])
  writeAs('ann')
  const approved = await decide('operator', 'tools', approval)
  assert.deepEqual([approved.status, approved.json()['state'], approved.json()['by']], [200, 'approved', 'operator'])
  assert.deepEqual(await approvedOf(server), [[two.digest, 'operator']])
  const events = await store.readStream(streamOfServer(server.metadata.uid ?? ''))
  assert.deepEqual(
    events.map(({ data, actor }) => [data, actor?.name]),
    [[{ digest: two.digest, decisionReason: approval.note }, 'operator']],
  )
  const rejected = await decide('operator', 'tools', { reason: 'No.' }, '/reject')
  assert.equal(rejected.status, 200, rejected.text)
  assert.deepEqual(await approvedOf(server), [])
  const [after] = (await list('viewer')).json<{ items: McpApproval[] }>().items
  assert.deepEqual(
    [after?.decision?.state, after?.decision?.by, after?.decision?.reason],
    ['rejected', 'operator', 'No.'],
  )
  assert.equal(
    await codeOf('tools', { digest: `sha256:${'0'.repeat(64)}`, reason: 'No.' }, '/reject'),
    '409 manifest_changed',
  )
  assert.ok(outcomes.some(({ action, outcome }) => action === 'approve' && outcome === 'denied'))
})

test('a decision that nothing could be is refused with its field', real, async (t) => {
  const { make, decide, ask, namespace } = await setUp(t)
  await make('tools', waiting)
  for (const [body, below] of [
    [{}, ''],
    [{ digest: 'sha256:x' }, ''],
    [{ digest: `${two.digest}\n` }, ''],
    [{ digest: two.digest, note: 'a\nb' }, ''],
    [{ digest: two.digest, note: 'a\0' }, ''],
    [{ digest: two.digest, note: '\ud800' }, ''],
    [{ digest: two.digest, note: 'x'.repeat(1_025) }, ''],
    [{ digest: two.digest, actor: 'ann' }, ''],
    [{}, '/reject'],
    [{ reason: '' }, '/reject'],
    [{ reason: 7 }, '/reject'],
  ] as const)
    assert.equal((await decide('operator', 'tools', body, below)).status, 400, JSON.stringify(body))
  const large = { digest: two.digest, note: 'x'.repeat(10 * 1024 * 1024) }
  assert.equal((await decide('operator', 'tools', large)).status, 413)
  assert.equal((await decide('unknown-token', 'tools', { digest: two.digest })).status, 401)
  assert.equal((await decide('operator', '%00', { digest: two.digest })).status, 400)
  assert.equal((await ask('viewer', 'GET', `/mcp/approvals?namespace=${namespace}&cursor=forged`)).status, 400)
})

test('where no approval is required, the spec decides', real, async (t) => {
  const { make, decide } = await setUp(t, { isRequired: false })
  await make('tools', waiting)
  const { status, json } = await decide('operator', 'tools', { digest: two.digest })
  assert.deepEqual([status, json()['code']], [409, 'approval_not_required'])
})

const old = '2020-01-01T00:00:00Z'
const condition = (status: 'True' | 'False', lastTransitionTime: string) => ({
  type: 'ManifestAccepted',
  status,
  reason: 'Accepted',
  message: '',
  lastTransitionTime,
})
const serverOf = (uid: string, status: McpServerStatus): McpServerObject => ({
  apiVersion: McpServer.apiVersion,
  kind: McpServer.kind,
  metadata: { namespace: 'demo', name: uid, uid, creationTimestamp: old },
  spec: { url: 'https://tools.example.com/mcp' },
  status,
})

test('manifests that were in use when approvals began are approved by the system, once, and no later one', async (t) => {
  const store = await openMcpStore(t)
  const approvals = createApprovals(store)
  const uids = async (server: McpServerObject) => [...(await approvals.approvedOf(server))]
  const used = serverOf('used', { ...pinned, conditions: [condition('True', old)] })
  assert.deepEqual(await uids(used), [[one.digest, 'system']])
  assert.deepEqual(await uids(used), [[one.digest, 'system']])
  assert.equal((await store.readStream(streamOfServer('used'))).length, 1)
  const drifted = serverOf('drifted', { ...pinned, ...waiting, conditions: [condition('False', old)] })
  assert.deepEqual(await uids(drifted), [[one.digest, 'system']])
  const later = new Date(Date.now() + 60_000).toISOString()
  assert.deepEqual(await uids(serverOf('later', { ...pinned, conditions: [condition('True', later)] })), [])
  assert.deepEqual(await uids(serverOf('new', waiting)), [])
  // Another manager, or this one after a restart, continues from the same begin.
  assert.deepEqual([...(await createApprovals(store).approvedOf(used))], [[one.digest, 'system']])
  assert.equal((await store.readStream('mcp/approvals')).length, 1)
  const subject = { namespace: 'demo', kind: 'McpServer', name: 'used', uid: 'used' }
  const data = { group: 'mesh.dev', kind: 'McpServer', uid: 'used', resourceVersion: '9', specHash: '' }
  await store.transact((tx) => tx.append('cluster/x', 'any', [{ type: objectDeleted, subject, data }]))
  assert.deepEqual(await uids(serverOf('used', waiting)), [])
})

test('the author of a server is the one of the change that made its generation', async (t) => {
  const store = await openMcpStore(t)
  const subject = { namespace: 'demo', kind: 'McpServer', name: 'tools', uid: 'u' }
  const seen = async (type: typeof objectCreated, generation: number, resourceVersion: string): Promise<void> => {
    const data = { group: 'mesh.dev', kind: 'McpServer', uid: 'u', resourceVersion, specHash: '', generation }
    await store.transact((tx) => tx.append('cluster/mesh.dev/McpServer/u', 'any', [{ type, subject, data }]))
  }
  await seen(objectCreated, 1, '5')
  await seen(objectUpdated, 1, '6')
  await seen(objectUpdated, 2, '7')
  // A label that another person has set later.
  await seen(objectUpdated, 2, '8')
  const actors: Readonly<Record<string, string>> = { create: 'ann', '7': 'ben', '8': 'cleo' }
  const find = createFindLastWriter(store, () => [
    async () => undefined,
    async ({ resourceVersion }) => actors[resourceVersion ?? 'create'],
  ])
  const of = (generation: number, uid = 'u') => find({ metadata: { name: 'tools', uid, generation } })
  assert.deepEqual([await of(1), await of(2), await of(3), await of(1, 'other')], ['ann', 'ben', undefined, undefined])
})
