import assert from 'node:assert/strict'
import test from 'node:test'
import { addRoute, startUpstream } from '#plugins/providers/testing/gateway.ts'
import type { TreeNode } from '#plugins/runs/contract/run-tree.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const head = { 'content-type': 'text/event-stream' }
const chunk = `data: ${JSON.stringify({ model: 'test-1', choices: [{ index: 0, delta: { content: 'half' } }] })}\n\n`

test('a model call that fails is a node of the tree: route, provider, status, reason and duration', async (t) => {
  const platform = await sharedEmbedded()
  const upstream = await startUpstream(t, (response, { model }) => {
    if (model === 'failing') response.writeHead(500).end('{"error":{"message":"secret insides"}}')
    if (model === 'overloaded') response.writeHead(429).end('{}')
    if (model === 'cut') response.writeHead(200, head).write(chunk, () => response.destroy())
    // `silent` never responds.
  })
  for (const name of ['failing', 'overloaded', 'silent', 'cut'])
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
    const { runId, state, usage } = invoked.json<{ runId: string; state: string; usage: { inputTokens: number } }>()
    const tree = await ask('GET', `/runs/${runId}/tree`)
    const { root, truncated, nextAfter } = tree.json<{ root: TreeNode; truncated: boolean; nextAfter: null }>()
    assert.deepEqual([truncated, nextAfter], [false, null])
    assert.doesNotMatch(tree.text, /secret insides/)
    return { state, usage, models: all(root).filter(({ kind }) => kind === 'model') }
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

  const cut = await modelsOf('cut', { route: 'cut' })
  assert.equal(cut.state, 'failed')
  const [call] = cut.models
  assert.equal(call?.status, 'error')
  const { message } = call.attributes['error'] as { message: string }
  assert.match(message, /default\/cut.*the answer broke off/)
})

function pick(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, status, provider } = error as Readonly<Record<string, unknown>>
  return [code, status, provider]
}

function all(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(all)]
}
