import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { Provider } from '#schemas/api/providers.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { needs } from '#test/harness/find-server.ts'
import { listen } from '#test/harness/listen.ts'
import { servePlugin } from '../../agents/testing/serve.ts'
import { createAnthropicAdapter } from '../anthropic/anthropic-adapter.ts'
import { mockAdapter } from '../mock/mock-adapter.ts'
import { createOpenAiAdapter } from '../openai/openai-adapter.ts'
import type { ProvidersServices } from '../services/create-services.ts'
import type { ProviderClient } from '../upstream/provider-client.ts'
import { secrets } from '../upstream/key-binding.ts'
import { connectPart } from './endpoints.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const KEY = 'sk-canary-0123456789'

type Upstream = (request: IncomingMessage, response: ServerResponse) => void

const listed = (request: IncomingMessage, response: ServerResponse): void => {
  if (!`${request.headers.authorization ?? ''}${String(request.headers['api-key'] ?? '')}`.includes('sk-'))
    return void response.writeHead(401).end('{"error":{"message":"no key"}}')
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      data: [
        { id: 'large', owned_by: 'acme', created: 1_700_000_000, context_window: 128_000 },
        { id: 'a/small', created: 1e300 },
        { id: 'bad\0' },
        { id: 7 },
        null,
      ],
    }),
  )
}

/** The part on a real API server, and a provider whose responses a test chooses. */
async function setUp(t: TestContext) {
  const seen: IncomingMessage[] = []
  let respond: Upstream = listed
  const upstream = createServer((request, response) => {
    seen.push(request)
    respond(request, response)
  })
  const baseUrl = `${await listen(t, upstream)}/v1`
  const outbound = createOutbound({ allow: ['127.0.0.0/8'] })
  t.after(() => outbound.close())
  const client = {} as ProviderClient
  const adapters = [mockAdapter, createOpenAiAdapter(client), createAnthropicAdapter(client)]
  const core = { outbound, now: () => new Date(), extensions: () => adapters, store: undefined }
  const services = { core, settings: { connect: { enabled: true } } } as unknown as ProvidersServices
  const served = await servePlugin(t, 'providers', () => connectPart(services).endpoints)
  const { namespace } = served
  const connect = (who: string, more: object = {}) =>
    served.ask(who, 'POST', '/providers', { namespace, name: 'acme', type: 'openai', baseUrl, apiKey: KEY, ...more })
  const secretOf = (name: string) =>
    served.admin.get<KubeObject>(secrets, { namespace, name: parseName('name', name) }).catch(() => undefined)
  return { ...served, connect, secretOf, seen, baseUrl, use: (next: Upstream) => (respond = next) }
}

test(
  'a provider is connected, listed, rotated and disconnected as the caller, and no response has its key',
  real,
  async (t) => {
    const { ask, connect, secretOf, namespace, admin, seen, outcomes } = await setUp(t)
    const made = await connect('developer')
    assert.equal(made.status, 201, made.text)
    const shown = made.json<Provider>()
    assert.deepEqual([shown.name, shown.hasKey, shown.keyVersion, shown.routes], ['acme', true, 1, []])
    assert.equal(shown.health.state, 'unknown')
    const secret = await secretOf('acme-provider-key')
    assert.deepEqual(secret?.['data'], { apiKey: Buffer.from(KEY).toString('base64') })
    assert.equal(secret.metadata.labels?.['mesh.dev/provider-key'], 'true')
    assert.equal((await connect('developer')).status, 409)

    const at = `/providers/acme/models?namespace=${namespace}`
    const models = (await ask('developer', 'GET', at)).json<{ items: { id: string }[]; cached: boolean }>()
    assert.deepEqual(models.items, [
      { id: 'a/small' },
      { id: 'large', ownedBy: 'acme', contextWindow: 128_000, created: '2023-11-14T22:13:20.000Z' },
    ])
    const asked = seen.length
    assert.deepEqual((await ask('developer', 'GET', at)).json<{ cached: boolean }>().cached, true)
    assert.equal(seen.length, asked)
    assert.equal((await ask('developer', 'GET', `${at}&refresh=true`)).json<{ cached: boolean }>().cached, false)
    // A list that another caller has read is not shown to one without the right on the key.
    assert.equal((await ask('viewer', 'GET', at)).status, 403)

    const rotate = `/providers/acme/rotate?namespace=${namespace}`
    const rotated = await ask('developer', 'POST', rotate, { apiKey: 'sk-canary-second' })
    assert.deepEqual([rotated.status, rotated.json<Provider>().keyVersion], [200, 2], rotated.text)
    assert.equal(seen.at(-1)?.headers.authorization, 'Bearer sk-canary-second')
    assert.deepEqual((await secretOf('acme-provider-key'))?.['data'], {
      apiKey: Buffer.from('sk-canary-second').toString('base64'),
    })

    const route = {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'ModelRoute',
      metadata: { namespace, name: 'r' },
      spec: { providerRef: { name: 'acme' }, model: 'large' },
    }
    await admin.create(ModelRoute, route as KubeObject)
    const list = await ask('viewer', 'GET', `/providers?namespace=${namespace}`)
    assert.equal(list.status, 200, list.text)
    assert.deepEqual(
      list.json<{ items: Provider[] }>().items.map(({ name, routes }) => [name, routes]),
      [['acme', [`${namespace}/r`]]],
    )
    const inUse = await ask('developer', 'DELETE', `/providers/acme?namespace=${namespace}`)
    assert.deepEqual([inUse.status, inUse.json<{ code: string }>().code], [409, 'provider_in_use'])
    await admin.delete(ModelRoute, { namespace, name: parseName('name', 'r') })
    assert.equal((await ask('developer', 'DELETE', `/providers/acme?namespace=${namespace}`)).status, 204)
    assert.equal(await secretOf('acme-provider-key'), undefined)
    assert.equal((await ask('developer', 'DELETE', `/providers/acme?namespace=${namespace}`)).status, 404)

    for (const { text } of [made, rotated, list, inUse]) assert.doesNotMatch(text, /sk-canary/)
    assert.doesNotMatch(JSON.stringify(outcomes), /canary/)
    const acts = outcomes.filter(
      ({ resourceKind, outcome }) => resourceKind === 'ModelProvider' && outcome === 'success',
    )
    assert.deepEqual(
      acts.map(({ action, change }) => `${action} ${change}`),
      ['connect create', 'rotate update', 'disconnect delete'],
    )
  },
)

test('a provider that is refused, or refuses the key, leaves nothing', real, async (t) => {
  const { connect, secretOf, admin, namespace, use, seen, outcomes } = await setUp(t)
  const isGone = async (): Promise<void> => {
    assert.equal(await secretOf('acme-provider-key'), undefined)
    assert.deepEqual((await admin.list(ModelProvider, { namespace })).items, [])
  }
  // Who may not write is refused before the provider is asked.
  assert.equal((await connect('viewer')).status, 403)
  assert.equal((await connect('unbound')).status, 403)
  assert.equal(seen.length, 0)
  assert.ok(outcomes.some(({ action, outcome }) => action === 'connect' && outcome === 'denied'))
  const codes = async (respond: Upstream, more: object = {}) => {
    use(respond)
    const { status, text, json } = await connect('developer', more)
    await isGone()
    assert.doesNotMatch(text, /canary|<html|secret text/)
    return `${status} ${json<{ code: string }>().code}`
  }
  const say =
    (status: number, body = '', headers = {}): Upstream =>
    (_, response) =>
      void response.writeHead(status, headers).end(body)
  assert.equal(await codes(say(401, 'secret text')), '422 provider_rejected_key')
  assert.equal(await codes(say(403)), '422 provider_rejected_key')
  assert.equal(await codes(say(200, '<html>login</html>')), '502 provider_answered_badly')
  assert.equal(await codes(say(200, '{"models":[]}')), '502 provider_answered_badly')
  assert.equal(await codes(say(200, `{"data":["${'x'.repeat(5 * 1024 * 1024)}"]}`)), '502 provider_answered_badly')
  assert.equal(await codes(say(302, '', { location: 'http://10.0.0.1/v1/models' })), '502 provider_answered_badly')
  assert.equal(await codes((request) => void request.socket.destroy()), '502 provider_unreachable')
  assert.equal(await codes(say(200), { baseUrl: 'http://10.1.2.3/v1' }), '502 provider_unreachable')
  assert.equal(await codes(say(200), { baseUrl: 'https://name.invalid/v1' }), '502 provider_unreachable')
})

test('a provider that another person creates meanwhile removes the Secret again', real, async (t) => {
  const { connect, secretOf, admin, namespace, baseUrl, use } = await setUp(t)
  const other = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelProvider',
    metadata: { namespace, name: 'acme' },
    spec: { type: 'openai', baseUrl },
  }
  // After the dry run, before the writes.
  use((request, response) => {
    admin.create(ModelProvider, other as KubeObject).then(
      () => listed(request, response),
      () => response.destroy(),
    )
  })
  const { status, text } = await connect('developer')
  assert.equal(status, 409, text)
  assert.equal(await secretOf('acme-provider-key'), undefined)
})

test('a request that no provider could have is refused with its field', real, async (t) => {
  const { connect, ask, namespace, seen } = await setUp(t)
  const refused = async (more: object, pointer: string, code = 'invalid_body') => {
    const { status, text, json } = await connect('developer', more)
    assert.equal(status, 400, `${JSON.stringify(more)}: ${text}`)
    const problem = json<{ code: string; errors?: { pointer: string }[] }>()
    assert.equal(problem.code, code, text)
    assert.match(text, new RegExp(pointer))
    assert.doesNotMatch(text, /sk-bad/)
  }
  for (const apiKey of [
    'sk-bad\n',
    'sk-bad key',
    'sk-bad\0',
    'sk-bad\ud800',
    '',
    'ü',
    `sk-bad${'x'.repeat(5000)}`,
    7,
    null,
  ])
    await refused({ apiKey }, '/apiKey')
  await refused({ apiKey: undefined, baseUrl: undefined }, '/apiKey')
  await refused({ type: 'mock', baseUrl: undefined }, '/apiKey')
  await refused({ name: 'Über' }, '/name', 'invalid_name')
  await refused({ namespace: '../x' }, '/namespace', 'invalid_name')
  await refused({ headers: [{ name: 'X-Up', value: 'a' }] }, '/headers/0/name')
  await refused({ headers: [{ name: 'x-ok', value: 'a\r\nhost: b' }] }, '/headers/0/value')
  await refused({ surprise: true }, 'surprise')
  const reserved = await connect('developer', { headers: [{ name: 'authorization', value: 'Bearer x' }] })
  assert.equal(reserved.status, 422, reserved.text)
  assert.equal(seen.length, 0)
  assert.equal((await ask('developer', 'GET', `/providers/%00/models?namespace=${namespace}`)).status, 400)
  assert.equal(
    (await ask('developer', 'POST', `/providers/none/rotate?namespace=${namespace}`, { apiKey: KEY })).status,
    404,
  )
})

test(
  'headers of the provider and the version of Azure are sent; a provider without a key is connected',
  real,
  async (t) => {
    const { connect, ask, namespace, seen, use, secretOf } = await setUp(t)
    const headers = [{ name: 'http-referer', value: 'https://acme.example' }]
    assert.equal((await connect('developer', { headers, azure: { apiVersion: 'preview' } })).status, 201)
    const [request] = seen
    assert.equal(request?.url, '/v1/models?api-version=preview')
    assert.deepEqual(
      [request.headers['http-referer'], request.headers['api-key'], request.headers.authorization],
      ['https://acme.example', KEY, undefined],
    )
    use((_, response) => void response.writeHead(200).end('{"data":[]}'))
    const open = await connect('developer', { name: 'open', apiKey: undefined })
    assert.deepEqual(
      [open.status, open.json<Provider>().hasKey, open.json<Provider>().keyVersion],
      [201, false, null],
      open.text,
    )
    assert.equal(await secretOf('open-provider-key'), undefined)
    const rotate = await ask('developer', 'POST', `/providers/open/rotate?namespace=${namespace}`, { apiKey: KEY })
    assert.deepEqual([rotate.status, rotate.json<{ code: string }>().code], [409, 'provider_without_key'])
  },
)
