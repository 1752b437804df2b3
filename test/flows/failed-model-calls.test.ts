import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { addRoute, startUpstream } from '#plugins/providers/testing/gateway.ts'
import type { TreeNode } from '#plugins/runs/contract/run-tree.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const head = { 'content-type': 'text/event-stream' }
const wrongKey = 'sk-wrong-1234'
const chunk = `data: ${JSON.stringify({ model: 'test-1', choices: [{ index: 0, delta: { content: 'half' } }] })}\n\n`

test('a model call that fails is a node of the tree: route, provider, status, reason and duration', async (t) => {
  const platform = await sharedEmbedded()
  const upstream = await startUpstream(t, (response, { model }) => {
    if (model === 'failing') response.writeHead(500).end('{"error":{"message":"secret insides"}}')
    if (['locked', 'keyless'].includes(String(model)))
      response.writeHead(401).end(`{"error":{"message":"Incorrect API key provided: ${wrongKey}"}}`)
    if (model === 'overloaded') response.writeHead(429).end('{}')
    if (model === 'cut') response.writeHead(200, head).write(chunk, () => response.destroy())
    // `silent` never responds.
  })
  await addKey(platform.admin, new URL(upstream.url).origin)
  await addRoute(platform.admin, 'default', 'locked', {
    provider: { type: 'openai', baseUrl: upstream.url, secretRef: { name: 'locked-key', key: 'api-key' } },
    route: { model: 'locked' },
  })
  for (const name of ['failing', 'overloaded', 'silent', 'cut', 'keyless'])
    await addRoute(platform.admin, 'default', name, {
      provider: { type: 'openai', baseUrl: upstream.url },
      route: { model: name, timeout: '1s' },
    })
  const ask = (method: string, path: string, body?: unknown) =>
    platform.send({ method, path: `/api${path}`, bearer: platform.tokens.developer, ...(body ? { body } : {}) })
  const modelsOf = async (name: string, model: object) => {
    const config = { name, systemPrompt: 'Be brief.', model }
    const made = await ask('POST', '/agents', { namespace: 'default', config })
    assert.equal(made.status, 201, made.text)
    const invoked = await ask('POST', '/invoke', { agent: { namespace: 'default', name }, input: 'x' })
    const { runId, state, usage, failReason, error } = invoked.json<Invoked>()
    const tree = await ask('GET', `/runs/${runId}/tree`)
    const { root, truncated, nextAfter } = tree.json<{ root: TreeNode; truncated: boolean; nextAfter: null }>()
    assert.deepEqual([truncated, nextAfter], [false, null])
    const run = await ask('GET', `/runs/${runId}`)
    const events = await ask('GET', `/runs/${runId}/events`)
    for (const { text } of [tree, run, invoked, events])
      assert.doesNotMatch(text, new RegExp(`secret insides|${wrongKey}`))
    return { state, usage, failReason, error, models: all(root).filter(({ kind }) => kind === 'model') }
  }

  const fallback = await modelsOf('falls-back', { route: 'failing', fallbackRoutes: ['overloaded', 'silent', 'mock'] })
  assert.equal(fallback.state, 'succeeded')
  assert.ok(fallback.usage.inputTokens > 0, 'of the call that succeeded')
  assert.deepEqual(
    fallback.models.map(({ name, status, attributes: { route, error } }) => [name, status, route, pick(error)]),
    [
      ['default/failing', 'error', 'default/failing', ['bad_gateway', 502, 'default/failing']],
      ['default/overloaded', 'error', 'default/overloaded', ['rate_limit_exceeded', 429, 'default/overloaded']],
      ['default/silent', 'error', 'default/silent', ['provider_timeout', 504, 'default/silent']],
      ['mock', 'ok', 'default/mock', undefined],
    ],
  )
  const silent = fallback.models[2]
  assert.ok((silent?.durationMs ?? 0) >= 900 && (silent?.durationMs ?? 0) < 5_000, `${silent?.durationMs} ms`)

  for (const [name, reason] of [
    ['locked', 'refused the key of this route (401): put a key that it accepts into its Secret.'],
    ['keyless', 'refused a call without a key (401): the ModelProvider has no secretRef.'],
  ] as const) {
    const refused = await modelsOf(`asks-${name}`, { route: name })
    const [{ attributes } = assert.fail('no model call')] = refused.models
    const expected = `Provider default/${name} ${reason}`
    assert.deepEqual(pick(attributes['error']), ['provider_refused_key', 502, `default/${name}`])
    for (const message of [refused.error?.message, (attributes['error'] as { message: string }).message])
      assert.ok(message?.includes(expected), String(message))
    assert.deepEqual([refused.state, refused.failReason], ['failed', 'model_error'])
  }

  const cut = await modelsOf('cut', { route: 'cut' })
  assert.equal(cut.state, 'failed')
  const [call] = cut.models
  assert.equal(call?.status, 'error')
  const { message } = call.attributes['error'] as { message: string }
  assert.match(message, /default\/cut.*the response broke off/)
})

interface Invoked {
  readonly runId: string
  readonly state: string
  readonly usage: { readonly inputTokens: number }
  readonly failReason: string | null
  readonly error: { readonly message: string } | null
}

async function addKey(admin: KubeClient, origin: string): Promise<void> {
  const metadata = {
    name: 'locked-key',
    namespace: parseLabel('namespace', 'default'),
    labels: { 'mesh.dev/provider-key': 'true' },
    annotations: { 'mesh.dev/origin': origin },
  }
  const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
  const data = { 'api-key': Buffer.from(wrongKey).toString('base64') }
  await admin.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data } as KubeObject)
}

function pick(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, status, provider } = error as Readonly<Record<string, unknown>>
  return [code, status, provider]
}

function all(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(all)]
}
