import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '../../agents/testing/serve.ts'
import { createFindConnector } from '../catalog/find-connector.ts'
import { createWithSession } from '../client/session.ts'
import { credentialSecrets } from '../client/credential.ts'
import { listenRaw, startMcpServer } from '../testing/mcp-server.ts'
import { connectEndpoint, credentialEndpoint, referencesEndpoint } from './endpoints.ts'
import { createShakeHands } from './handshake.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const TOKEN = 'canary-token-0123456789'
const apiVersion = McpServer.apiVersion

interface Connected extends McpServerObject {
  readonly manifest?: { readonly digest: string; readonly tools: readonly object[] }
  readonly handshake: readonly { readonly step: string; readonly ms: number }[]
}

/** The routes on a real API server. */
async function setUp(t: TestContext) {
  const outbound = createOutbound({ allow: ['127.0.0.1'] })
  const dispatcher = outbound.open({ connections: 4 })
  t.after(async () => {
    await dispatcher.destroy()
    await outbound.close()
  })
  const withSession = createWithSession({ dispatcher, version: '1', maxBytes: 1024 * 1024, maxRequests: 32 })
  const shakeHands = createShakeHands({ outbound, withSession })
  const served = await servePlugin(t, 'mcp-connect', () => [
    connectEndpoint({ shakeHands, findConnector: createFindConnector(undefined) }),
    credentialEndpoint(),
    referencesEndpoint(),
  ])
  const { namespace, admin } = served
  const connect = (who: string, more: object) =>
    served.ask(who, 'POST', '/mcp/connect', { namespace, name: 'tools', ...more })
  const refOf = (name: string) => ({ namespace, name: parseName('name', name) })
  const secretOf = (name: string) => admin.get<KubeObject>(credentialSecrets, refOf(name)).catch(() => undefined)
  const serverOf = (name: string) => admin.get<McpServerObject>(McpServer, refOf(name)).catch(() => undefined)
  const isGone = async (): Promise<void> => {
    assert.equal(await secretOf('tools-mcp-credential'), undefined)
    assert.equal(await serverOf('tools'), undefined)
  }
  return { ...served, connect, refOf, secretOf, serverOf, isGone }
}

test('a server is connected with its token, which no response, event or object shows', real, async (t) => {
  const { ask, connect, secretOf, serverOf, namespace, outcomes, admin, refOf } = await setUp(t)
  const server = await startMcpServer(t, '2025-11-25')
  const described = {
    title: 'Say it again',
    outputSchema: { type: 'object', required: ['said'] },
    annotations: { readOnlyHint: true },
  }
  server.tools.set('echo', described)
  const credential = { kind: 'bearer', value: TOKEN }
  const dry = await ask('developer', 'POST', '/mcp/connect?dryRun=All', {
    namespace,
    name: 'tools',
    url: server.url,
    credential,
  })
  assert.deepEqual([dry.status, server.bearers.length, await serverOf('tools')], [201, 0, undefined], dry.text)
  const made = await connect('developer', { url: server.url, description: 'For tests.', credential })
  assert.equal(made.status, 201, made.text)
  const { spec, manifest, handshake } = made.json<Connected>()
  assert.deepEqual(spec, {
    url: server.url,
    description: 'For tests.',
    auth: { kind: 'bearer' },
    secretRef: { name: 'tools-mcp-credential', key: 'credential' },
  })
  assert.partialDeepStrictEqual(manifest?.tools, [{ name: 'echo', ...described }])
  assert.match(manifest?.digest ?? '', /^sha256:[0-9a-f]{64}$/)
  assert.deepEqual(
    handshake.map(({ step }) => step),
    ['resolve', 'connect', 'initialize', 'list_tools'],
  )
  assert.deepEqual([...new Set(server.bearers)], [`Bearer ${TOKEN}`])
  const secret = await secretOf('tools-mcp-credential')
  assert.deepEqual(secret?.['data'], { credential: Buffer.from(TOKEN).toString('base64') })
  assert.equal(secret.metadata.annotations?.['mesh.dev/origin'], server.origin)
  const again = await connect('developer', { url: server.url, credential })
  assert.equal(again.status, 409, again.text)
  assert.deepEqual((await secretOf('tools-mcp-credential'))?.metadata.uid, secret.metadata.uid)
  // The Secret of a server that was deleted with kubectl does not stay in the way.
  await admin.delete(McpServer, refOf('tools'))
  assert.equal((await connect('developer', { url: server.url, credential })).status, 201)
  for (const { text } of [dry, made, again]) assert.doesNotMatch(text, /canary/)
  assert.doesNotMatch(JSON.stringify(outcomes), /canary/)
  const kinds = new Set(outcomes.filter(({ action }) => action === 'connect').map(({ outcome }) => outcome))
  assert.deepEqual([...kinds].toSorted(), ['error', 'success'])
})

test('a credential is set, replaced and removed, and the server refers to it', real, async (t) => {
  const { ask, connect, secretOf, serverOf, namespace, admin, refOf } = await setUp(t)
  const server = await startMcpServer(t, '2026-07-28')
  assert.equal((await connect('developer', { url: server.url })).status, 201)
  assert.deepEqual((await serverOf('tools'))?.spec, { url: server.url })
  const set = (credential: object, who = 'developer', query = '') =>
    ask(who, 'POST', `/mcp/org-credential${query}`, { namespace, server: 'tools', credential })
  const header = { kind: 'header', header: 'x-api-key', value: `Key ${TOKEN}` }
  assert.equal((await set(header, 'viewer')).status, 403)
  assert.equal((await set(header, 'unbound')).status, 403)
  assert.equal((await set(header, 'developer', '?dryRun=All')).status, 204)
  assert.equal(await secretOf('tools-mcp-credential'), undefined)
  const first = await set(header)
  assert.deepEqual([first.status, first.text], [204, ''])
  const secretRef = { name: 'tools-mcp-credential', key: 'credential' }
  assert.deepEqual((await serverOf('tools'))?.spec, {
    url: server.url,
    auth: { kind: 'header', header: 'x-api-key' },
    secretRef,
  })
  assert.equal((await set({ kind: 'bearer', value: 'canary-second' })).status, 204)
  assert.deepEqual((await serverOf('tools'))?.spec.auth, { kind: 'bearer' })
  assert.deepEqual((await secretOf('tools-mcp-credential'))?.['data'], {
    credential: Buffer.from('canary-second').toString('base64'),
  })
  assert.equal((await set({ kind: 'oauth', clientId: 'mesh', value: 'canary-client' })).status, 204)
  const client = { kind: 'oauth', clientId: 'mesh' }
  assert.deepEqual((await serverOf('tools'))?.spec, { url: server.url, auth: client, secretRef })
  await admin.patch(McpServer, refOf('tools'), {
    type: 'merge',
    body: { spec: { auth: { issuer: 'https://a.example' } } },
  })
  assert.equal((await set({ kind: 'bearer', value: TOKEN })).status, 204)
  assert.deepEqual((await serverOf('tools'))?.spec.auth, { kind: 'bearer' })
  assert.equal((await set({ kind: 'oauth' })).status, 204)
  assert.deepEqual((await serverOf('tools'))?.spec, { url: server.url, auth: { kind: 'oauth' } })
  assert.equal(await secretOf('tools-mcp-credential'), undefined)
  const foreign = { apiVersion: 'v1', kind: 'Secret', metadata: refOf('tools-mcp-credential') }
  await admin.create(credentialSecrets, foreign)
  const refused = await set({ kind: 'bearer', value: TOKEN })
  assert.deepEqual([refused.status, refused.json()['code']], [409, 'credential_not_ours'])
  assert.equal((await set({ kind: 'none' })).status, 204)
  assert.deepEqual((await serverOf('tools'))?.spec, { url: server.url })
  assert.ok(await secretOf('tools-mcp-credential'))
})

test('a server that asks for a grant is connected without a manifest', real, async (t) => {
  const { connect, isGone, serverOf } = await setUp(t)
  const asking =
    (challenge?: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge }).end()
  const credential = { kind: 'oauth' }
  const metadata = 'resource_metadata="https://tools.example/.well-known/oauth-protected-resource"'
  for (const challenge of [undefined, 'Bearer realm="x"', `Basic ${metadata}`, 'Bearer resource_metadata="evil"']) {
    const { status, json, text } = await connect('developer', {
      url: await listenRaw(t, asking(challenge)),
      credential,
    })
    assert.deepEqual([status, json()['code']], [422, 'mcp_initialize_failed'], text)
    assert.doesNotMatch(text, /evil|realm/)
    await isGone()
  }
  const made = await connect('developer', {
    url: await listenRaw(t, asking(`Bearer realm="x", ${metadata}`)),
    credential,
  })
  assert.equal(made.status, 201, made.text)
  const { manifest, handshake } = made.json<Connected>()
  assert.deepEqual([manifest, handshake.map(({ step }) => step)], [undefined, ['resolve', 'connect']])
  assert.deepEqual((await serverOf('tools'))?.spec.auth, { kind: 'oauth' })
})

test('a server that fails a step stores nothing, and the code names the step', real, async (t) => {
  const { connect, isGone, outcomes } = await setUp(t)
  const credential = { kind: 'bearer', value: TOKEN }
  const codeOf = async (url: string): Promise<string> => {
    const { status, json, text } = await connect('developer', { url, credential })
    await isGone()
    assert.doesNotMatch(text, /canary|<script|secret text/)
    return `${status} ${json<{ code: string }>().code}`
  }
  const raw = async (listener: RequestListener): Promise<string> => codeOf(await listenRaw(t, listener))
  for (const url of [
    'http://10.1.2.3/mcp',
    'http://169.254.169.254/mcp',
    'http://tools.example.com/mcp',
    'https://name.invalid/mcp',
  ])
    assert.equal(await codeOf(url), '422 mcp_resolve_failed', url)
  assert.equal(await codeOf('http://127.0.0.1:1/mcp'), '422 mcp_connect_failed')
  assert.equal(await raw((request) => void request.socket.destroy()), '422 mcp_connect_failed')
  assert.equal(
    await raw((_request, response) => void response.writeHead(401).end('secret text')),
    '422 mcp_initialize_failed',
  )
  assert.equal(
    await raw((_request, response) => void response.setHeader('content-type', 'text/html').end('<script>')),
    '422 mcp_initialize_failed',
  )
  assert.equal(
    await raw((_request, response) => void response.writeHead(307, { location: 'http://10.0.0.1/' }).end()),
    '422 mcp_initialize_failed',
  )
  const many = await startMcpServer(t, '2026-07-28')
  for (let index = 0; index < 10_000; index++) many.tools.set(`tool-${index}`, {})
  assert.equal(await codeOf(many.url), '422 mcp_list_tools_failed')
  const lying = await startMcpServer(t, '2026-07-28')
  lying.tools.set('echo', { description: 'x'.repeat(20_000) })
  assert.equal(await codeOf(lying.url), '422 mcp_list_tools_failed')
  assert.doesNotMatch(JSON.stringify(outcomes), /canary/)
  assert.ok(outcomes.some(({ action, outcome }) => action === 'connect' && outcome === 'error'))
})

test('who may not write is refused before the server is asked', real, async (t) => {
  const { connect, outcomes } = await setUp(t)
  const server = await startMcpServer(t, '2026-07-28')
  for (const who of ['viewer', 'unbound', 'other-tenant'])
    assert.equal((await connect(who, { url: server.url, credential: { kind: 'bearer', value: TOKEN } })).status, 403)
  assert.equal((await connect('unknown-token', { url: server.url })).status, 401)
  assert.deepEqual(server.bearers, [])
  assert.ok(outcomes.some(({ action, outcome }) => action === 'connect' && outcome === 'denied'))
})

test('a request that no server could have is refused with its field', real, async (t) => {
  const { connect, ask, namespace, isGone } = await setUp(t)
  const url = 'http://127.0.0.1:1/mcp'
  const refused = async (more: object, field: string): Promise<void> => {
    const { status, text } = await connect('developer', more)
    assert.equal(status, 400, `${JSON.stringify(more).slice(0, 200)}: ${text}`)
    assert.ok(text.includes(field), text)
    assert.doesNotMatch(text, /canary/)
  }
  const bearer = (value: unknown) => ({ url, credential: { kind: 'bearer', value } })
  for (const value of [
    'canary\n',
    'canary\0',
    'canary\ud800',
    'canary key',
    'ü',
    '',
    7,
    null,
    `canary${'x'.repeat(9_000)}`,
  ])
    await refused(bearer(value), '/credential/value')
  await refused({ url, credential: { kind: 'bearer' } }, '/credential/value')
  await refused({ url, credential: { kind: 'none', value: 'canary' } }, '/credential/value')
  await refused({ url, credential: { kind: 'oauth', value: 'canary' } }, '/credential/value')
  await refused({ url, credential: { kind: 'oauth', clientId: 'a', value: 'canary key' } }, '/credential/value')
  await refused({ url, credential: { kind: 'bearer', clientId: 'a', value: 'canary' } }, '/credential/clientId')
  for (const clientId of ['', 'a b', 'a\0', 'a\ud800', 7, 'x'.repeat(2_049)])
    await refused({ url, credential: { kind: 'oauth', clientId } }, '/credential/clientId')
  await refused({ url, credential: { kind: 'header', value: 'canary' } }, '/credential/header')
  await refused({ url, credential: { kind: 'bearer', value: 'canary', header: 'x' } }, '/credential/header')
  await refused(
    { url, credential: { kind: 'header', value: 'canary', header: 'X-Up: a\r\nhost' } },
    '/credential/header',
  )
  await refused({ url, credential: { kind: 'stdio', command: 'sh' } }, '/credential')
  await refused({}, '/url')
  await refused({ url, connectorId: 'shipped:deepwiki' }, '/url')
  for (const bad of ['file:///etc/passwd', 'http://user:pw@host/mcp', 'http://[::1', 'http://a b/', 'http://h\0/', 7])
    await refused({ url: bad }, '/url')
  await refused({ url, name: 'Über' }, '/name')
  await refused({ url, namespace: '../x' }, '/namespace')
  await refused({ url, command: 'sh' }, 'command')
  assert.equal((await connect('developer', { connectorId: 'shipped:none' })).status, 404)
  const reserved = await connect('developer', {
    url,
    credential: { kind: 'header', header: 'mcp-session-id', value: 'a' },
  })
  assert.equal(reserved.status, 422, reserved.text)
  const large = await connect('developer', { url, description: 'x'.repeat(10 * 1024 * 1024) })
  assert.equal(large.status, 413)
  await isGone()
  assert.equal((await ask('developer', 'GET', `/mcpservers/${namespace}/%00/references`)).status, 400)
})

test('the references of a server are its bindings, their registries, and agents of both', real, async (t) => {
  const { ask, namespace, other, admin } = await setUp(t)
  const make = async (
    kind: typeof McpServer | typeof McpToolBinding | typeof ToolRegistry | typeof AgentDeployment,
    place: string,
    name: string,
    spec: object,
  ) =>
    admin.create(
      kind as typeof McpServer,
      { apiVersion, kind: kind.kind, metadata: { namespace: place, name }, spec } as KubeObject,
    )
  await make(McpServer, namespace, 'tools', { url: 'https://tools.example.com/mcp' })
  await make(McpToolBinding, namespace, 'bound', { serverRef: { name: 'tools' }, allowedNamespaces: [other] })
  await make(McpToolBinding, namespace, 'elsewhere', { serverRef: { name: 'another' } })
  await make(ToolRegistry, namespace, 'desk', { bindings: [{ name: 'bound' }], allowedNamespaces: [other] })
  await make(ToolRegistry, namespace, 'empty', { bindings: [{ name: 'elsewhere' }] })
  const model = { route: 'any' }
  await make(AgentDeployment, namespace, 'direct', {
    model,
    tools: [
      { name: 'a', bindingRef: { name: 'bound' } },
      { name: 'b', bindingRef: { name: 'elsewhere' } },
    ],
  })
  await make(AgentDeployment, other, 'far', { model, tools: [{ name: 'c', registryRef: { name: 'desk', namespace } }] })
  await make(AgentDeployment, other, 'same-name', { model, tools: [{ name: 'd', bindingRef: { name: 'bound' } }] })
  const at = `/mcpservers/${namespace}/tools/references`
  const shown = (await ask('developer', 'GET', at)).json()
  const own = { namespace, name: 'direct', tools: ['a'] }
  assert.deepEqual(shown, {
    bindings: [{ namespace, name: 'bound' }],
    registries: [{ namespace, name: 'desk' }],
    agents: [own],
    complete: true,
  })
  const all = (await ask('operator', 'GET', at)).json<{ agents: unknown[] }>()
  assert.deepEqual(all.agents, [own, { namespace: other, name: 'far', tools: ['c'] }])
  assert.equal((await ask('other-tenant', 'GET', at)).status, 403)
  assert.equal((await ask('viewer', 'GET', `/mcpservers/${namespace}/none/references`)).status, 404)
})
