import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { reconcileIn, startNamespace } from '#plugins/providers/testing/manager.ts'
import type { ApiServerMake } from '#plugins/providers/testing/manager.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject, McpServerSpec } from '#schemas/crds/mcp-server.ts'
import { findServer } from '#test/harness/find-server.ts'
import { createWithSession } from './client/session.ts'
import { discover } from './discovery/discover.ts'
import { createDiscoveries } from './discovery/discoveries.ts'
import { serverReconciler } from './reconcilers.ts'
import type { ServerReconcilerOptions } from './reconcilers.ts'
import { listenRaw, startMcpServer } from './testing/mcp-server.ts'

const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

interface Options {
  /** Approved digests with their approvers, where approvals are required. */
  readonly approved?: ReadonlyMap<string, string>
  readonly deadlineMs?: number
  readonly keepClientSecret?: ServerReconcilerOptions['keepClientSecret']
}

async function setUp(t: TestContext, make: ApiServerMake, options: Options = {}) {
  const { approved, deadlineMs, keepClientSecret } = options
  const cluster = await startNamespace(t, make, 'mcp')
  const { admin, manager, namespace } = cluster
  const outbound = createOutbound({ allow: ['127.0.0.1'] })
  const dispatcher = outbound.open({ connections: 4 })
  const withSession = createWithSession({ dispatcher, version: '1', maxBytes: 1024 * 1024, maxRequests: 32 })
  const discoveries = createDiscoveries({
    read: (key) =>
      discover((target, use) => withSession(deadlineMs === undefined ? target : { ...target, deadlineMs }, use), key),
    most: { total: 4, perNamespace: 2 },
    waitMs: 50,
  })
  const reconciler = serverReconciler({
    cluster: manager,
    discoveries,
    approvals: approved && { approvedOf: async () => approved },
    keepClientSecret,
    now: () => new Date(),
  })
  reconcileIn(t, cluster, [reconciler])
  t.after(() => dispatcher.destroy())
  const refOf = (name: string) => ({ namespace, name: parseName('name', name) })
  const create = (name: string, spec: McpServerSpec) =>
    admin.create(McpServer, { apiVersion: 'mesh.dev/v1alpha1', kind: 'McpServer', metadata: refOf(name), spec })
  const patch = (name: string, spec: object) => admin.patch(McpServer, refOf(name), { type: 'merge', body: { spec } })
  const createSecret = (name: string, origin: string, token: string) =>
    admin.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        ...refOf(name),
        labels: { 'mesh.dev/mcp-credential': 'true' },
        annotations: { 'mesh.dev/origin': origin },
      },
      data: { token: Buffer.from(token).toString('base64') },
    })
  /** Watches a server until a condition of its current generation reads as wanted (`Ready=True Ready`). */
  const when = async (name: string, wanted: string): Promise<McpServerObject> => {
    const matches = (object: KubeObject): boolean =>
      (object as McpServerObject).status?.conditions?.some(
        (one) =>
          `${one.type}=${one.status} ${one.reason}` === wanted && one.observedGeneration === object.metadata.generation,
      ) === true
    const selected = { namespace, fieldSelector: `metadata.name=${name}` }
    const { items, resourceVersion } = await admin.list(McpServer, selected)
    const now = items.find(matches)
    if (now !== undefined) return now as McpServerObject
    for await (const event of admin.watch(McpServer, { ...selected, resourceVersion, timeoutSeconds: 120 }))
      if ('object' in event && matches(event.object)) return event.object as McpServerObject
    throw new Error(`${name} never was ${wanted}`)
  }
  return { admin, reconciler, refOf, create, patch, createSecret, when }
}

const namesOf = ({ status }: McpServerObject) => status?.tools?.map(({ name, description }) => [name, description])

for (const make of ['real', 'embedded'] as const) {
  const skip = make === 'real' && findServer('kube-apiserver') === undefined ? 'no kube-apiserver' : false

  test(
    `mcp: a changed manifest waits for acceptance, and its tools are not offered before (${make})`,
    { skip },
    async (t) => {
      const { admin, reconciler, refOf, create, patch, when } = await setUp(t, make)
      const server = await startMcpServer(t, '2026-07-28')
      await create('tools', { url: server.url })
      const first = await when('tools', 'Ready=True Ready')
      assert.deepEqual(namesOf(first), [['echo', undefined]])
      assert.equal(first.status?.protocolVersion, '2026-07-28')
      assert.deepEqual(await reconciler.reconcile(refOf('tools'), first), { requeueAfterMs: 300_000 })
      assert.equal(
        (await admin.get(McpServer, refOf('tools'))).metadata.resourceVersion,
        first.metadata.resourceVersion,
      )

      const nullable = { type: 'object', properties: { a: { default: null, enum: [null, 1.5, 1e300] } } }
      server.tools.set('echo', { description: 'changed', inputSchema: nullable })
      server.tools.set('more', {})
      // What the state role writes when a call finds it.
      const failedCall = { tool: 'echo', reason: 'ManifestChanged', time: '2026-11-23T00:00:00Z' }
      const found = { type: 'merge', body: { status: { failedCall } } } as const
      await admin.patch(McpServer, refOf('tools'), found, { subresource: 'status' })
      const changed = await when('tools', 'Ready=True Drifted')
      const drifted = changed.status?.conditions?.find(({ type }) => type === 'ManifestAccepted')
      assert.deepEqual([drifted?.status, drifted?.reason], ['False', 'Drifted'])
      assert.deepEqual(changed.status?.failedCall, failedCall)
      const calls = changed.status?.conditions?.find(({ type }) => type === 'CallsSucceed')
      assert.deepEqual([calls?.status, calls?.reason], ['False', 'ManifestChanged'])
      assert.deepEqual(namesOf(changed), [['echo', undefined]])
      assert.deepEqual(changed.status?.proposed?.changes, ['changed echo', 'added more'])
      await patch('tools', { acceptedManifest: changed.status?.proposed?.digest })
      const accepted = await when('tools', 'Ready=True Ready')
      assert.deepEqual(namesOf(accepted), [
        ['echo', 'changed'],
        ['more', undefined],
      ])
      assert.equal(accepted.status?.proposed, undefined)
      assert.deepEqual(JSON.parse(accepted.status?.tools?.[0]?.inputSchema ?? ''), nullable)
      await reconciler.reconcile(refOf('tools'), accepted)
      assert.equal(
        (await admin.get(McpServer, refOf('tools'))).metadata.resourceVersion,
        accepted.metadata.resourceVersion,
      )
    },
  )

  test(`mcp: where approvals are required, the spec accepts no manifest (${make})`, { skip }, async (t) => {
    const approved = new Map<string, string>()
    const { create, patch, when } = await setUp(t, make, { approved })
    const server = await startMcpServer(t, '2025-11-25')
    await create('tools', { url: server.url })
    const waiting = await when('tools', 'Ready=False NotApproved')
    const digest = waiting.status?.proposed?.digest ?? ''
    assert.deepEqual([waiting.status?.tools, waiting.status?.toolCount], [[], 0])
    await patch('tools', { acceptedManifest: digest })
    assert.deepEqual((await when('tools', 'Ready=False NotApproved')).status?.tools, [])
    approved.set(digest, 'ben')
    await patch('tools', { description: 'Approved.', acceptedManifest: `sha256:${'0'.repeat(64)}` })
    const accepted = await when('tools', 'Ready=True Ready')
    assert.deepEqual([namesOf(accepted), accepted.status?.approvedBy], [[['echo', undefined]], 'ben'])
    approved.delete(digest)
    await patch('tools', { description: 'Revoked.' })
    const revoked = await when('tools', 'Ready=False NotApproved')
    assert.deepEqual([revoked.status?.tools, revoked.status?.approvedBy], [[], undefined])
  })

  test(
    `B7, M-2: a token goes to the origin of its Secret only, and refused servers say why (${make})`,
    { skip },
    async (t) => {
      const { create, patch, createSecret, when } = await setUp(t, make)
      const server = await startMcpServer(t, '2026-07-28')
      await create('tools', { url: server.url, secretRef: { name: 'late', key: 'token' } })
      await when('tools', 'Ready=False SecretMissing')
      await createSecret('late', 'https://elsewhere.example', 'canary')
      await patch('tools', { description: '2' })
      const mismatch = await when('tools', 'Ready=False OriginMismatch')
      assert.doesNotMatch(JSON.stringify(mismatch.status), /elsewhere|canary/)
      assert.deepEqual(server.bearers, [])
      await createSecret('right', server.origin, 'canary')
      await patch('tools', { secretRef: { name: 'right' } })
      await when('tools', 'Ready=True Ready')
      assert.deepEqual([...new Set(server.bearers)], ['Bearer canary'])
      await create('inside', { url: 'http://10.0.0.1/mcp' })
      await when('inside', 'Ready=False AddressRefused')
    },
  )
}

test('mcp: a server with grants of persons waits for one, and its auth is checked at admission', async (t) => {
  const { create, when } = await setUp(t, 'embedded')
  const url = await listenRaw(t, (_request, response) => response.writeHead(401).end())
  await create('granted', { url, auth: { kind: 'oauth' } })
  await when('granted', 'Ready=Unknown GrantRequired')
  const secretRef = { name: 'token', key: 'token' }
  for (const spec of [
    { auth: { kind: 'oauth' }, secretRef },
    { auth: { kind: 'bearer', clientId: 'mesh' }, secretRef },
    { auth: { kind: 'bearer' } },
    { auth: { kind: 'header' }, secretRef },
    { auth: { kind: 'bearer', header: 'x-api-key' }, secretRef },
    { auth: { kind: 'header', header: 'mcp-session-id' }, secretRef },
    { auth: { kind: 'header', header: 'host' }, secretRef },
  ] as const)
    await assert.rejects(create('refused', { url, ...spec }), /secretRef|header|auth\.kind/)
  await create('header', { url, auth: { kind: 'header', header: 'x-api-key' }, secretRef })
})

test('B7: the secret of a client is kept while its Secret is of the origin of the server, and is sent to no server', async (t) => {
  const kept: (string | undefined)[] = []
  const keepClientSecret = async (_: unknown, secret: string | undefined) => void kept.push(secret)
  const { create, patch, createSecret, when } = await setUp(t, 'embedded', { keepClientSecret })
  const server = await startMcpServer(t, '2026-07-28')
  const auth = { kind: 'oauth', clientId: 'mesh' } as const
  await create('tools', { url: server.url, auth, secretRef: { name: 'client', key: 'token' } })
  await when('tools', 'Ready=False SecretMissing')
  await createSecret('client', 'https://elsewhere.example', 'canary')
  await patch('tools', { description: '2' })
  await when('tools', 'Ready=False OriginMismatch')
  assert.ok(kept.length > 0 && kept.every((one) => one === undefined))
  await createSecret('right', server.origin, 'canary')
  await patch('tools', { secretRef: { name: 'right' } })
  await when('tools', 'Ready=True Ready')
  assert.equal(kept.at(-1), 'canary')
  assert.deepEqual([...new Set(server.bearers)], [undefined])
})

test('X3: a server that hangs is not Ready, and others of its namespace are', async (t) => {
  const { create, when } = await setUp(t, 'embedded', { deadlineMs: 2_000 })
  const hanging = await listenRaw(t, () => undefined)
  await create('hanging', { url: hanging })
  await create('fine', { url: (await startMcpServer(t, '2026-07-28')).url })
  await when('fine', 'Ready=True Ready')
  const { status } = await when('hanging', 'Ready=False Timeout')
  assert.deepEqual(status?.tools, [])
})

test('X3: a server that misbehaves is not Ready, and its object says why', async (t) => {
  const { create, when } = await setUp(t, 'embedded')
  const lying = await startMcpServer(t, '2026-07-28')
  const deep = JSON.parse(`${'{"not":'.repeat(100)}{}${'}'.repeat(100)}`) as object
  lying.tools.set('echo', { inputSchema: { type: 'object', ...deep } })
  const large = Buffer.alloc(2 * 1024 * 1024, ' ')
  for (const [reason, url] of [
    ['InvalidManifest', lying.url],
    [
      'TooLarge',
      await listenRaw(t, (_request, response) => response.setHeader('content-type', 'application/json').end(large)),
    ],
    [
      'NotMcp',
      await listenRaw(t, (_request, response) => response.setHeader('content-type', 'text/html').end('<script>')),
    ],
    [
      'RedirectRefused',
      await listenRaw(t, (_request, response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end()),
    ],
  ] as const) {
    const name = reason.toLowerCase()
    await create(name, { url })
    const { status } = await when(name, `Ready=False ${reason}`)
    assert.deepEqual(status?.tools, [])
    assert.doesNotMatch(JSON.stringify(status), /script|10\.0\.0\.1/)
  }
})
