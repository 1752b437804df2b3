import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { needs } from '#test/harness/find-server.ts'
import { addKey, addRoute, refused, startGateway, startUpstream } from '../testing/gateway.ts'
import { exchangesIn, replay } from '../testing/replay.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const folder = join(import.meta.dirname, 'testdata', 'exchanges')
const key = 'sk-ant-canary-0123456789'
const messages = [{ role: 'user' as const, content: 'Hello.' }]

test('R2-UX-28: exchanges with Anthropic’s API are relayed to clients of OpenAI and Anthropic', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  let exchange = ''
  const upstream = await startUpstream(t, (response) => replay(join(folder, `${exchange}.http`), response))
  await addKey(gateway, a, { name: 'claude', key, origin: new URL(upstream.url).origin })
  const provider = { type: 'anthropic', baseUrl: upstream.url, secretRef: { name: 'claude', key: 'key' } }
  await addRoute(gateway.admin, a, 'claude', { provider })
  const openai = gateway.as('developer')
  const anthropic = new Anthropic({
    baseURL: gateway.url,
    apiKey: null,
    authToken: gateway.kube.tokens['developer'] ?? '',
    maxRetries: 0,
    defaultHeaders: { 'x-mesh-namespace': a },
  })
  const used = new Set<string>()
  const use = (name: string): void => {
    exchange = name
    used.add(name)
  }
  const streamed = async (name: string) => {
    use(name)
    const { choices, usage } = await openai.chat.completions
      .stream({ model: 'claude', messages, stream_options: { include_usage: true } })
      .finalChatCompletion()
    const [choice] = choices
    const calls = choice?.message.tool_calls?.map((one) => one.type === 'function' && one.function)
    return { text: choice?.message.content, finish: choice?.finish_reason, calls, usage }
  }
  const relayed = async (name: string) => {
    use(name)
    return anthropic.messages.stream({ model: 'claude', max_tokens: 64, messages }).finalMessage()
  }

  await t.test('streams of text, tool calls and thoughts', async () => {
    const text = await streamed('stream-text')
    assert.deepEqual([text.text, text.finish], ['Grüß dich, Ada 🙂! 你好。', 'stop'])
    assert.deepEqual([text.usage?.prompt_tokens, text.usage?.completion_tokens], [1214, 19])
    const tools = await streamed('stream-tool-use')
    assert.deepEqual([tools.text, tools.finish], ["I'll look that up.", 'tool_calls'])
    const given = tools.calls?.map((one) => one && [one.name, JSON.parse(one.arguments)])
    assert.deepEqual(given, [
      ['get_weather', { location: 'San Francisco', days: 3 }],
      ['get_time', {}],
    ])
    const thinking = await streamed('stream-thinking')
    assert.deepEqual([thinking.text, thinking.usage?.completion_tokens_details?.reasoning_tokens], ['12231', 51])
    const native = await relayed('stream-thinking')
    assert.deepEqual(
      native.content.map(({ type }) => type),
      ['thinking', 'redacted_thinking', 'text'],
    )
  })

  await t.test('events, fields and reasons of later versions do no harm', async () => {
    const later = await streamed('stream-later-events')
    assert.deepEqual([later.text, later.finish], ['Fine.', 'length'])
    assert.equal((await relayed('stream-later-events')).stop_reason, 'max_tokens')
    const refusal = await streamed('stream-refusal')
    assert.deepEqual([refusal.text, refusal.finish], ['I can', 'content_filter'])
    assert.equal((await relayed('stream-refusal')).stop_reason, 'refusal')
  })

  await t.test('a whole message, and what was counted', async () => {
    use('message-tool-use')
    const { choices, usage } = await openai.chat.completions.create({ model: 'claude', messages })
    assert.equal(choices[0]?.message.tool_calls?.length, 1)
    assert.deepEqual([usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens], [1572, 1000])
    const own = await anthropic.messages.create({ model: 'claude', max_tokens: 64, messages })
    assert.deepEqual([own.stop_reason, own.usage.cache_creation?.ephemeral_1h_input_tokens], ['tool_use', 40])
  })

  await t.test('a stream that ends with an error is one', async () => {
    await assert.rejects(streamed('stream-overloaded'), /Overloaded/)
    await assert.rejects(relayed('stream-overloaded'), /Overloaded/)
  })

  await t.test('errors have the status, the message that helps and the time to wait, never the key', async () => {
    const expected: Readonly<Record<string, readonly [status: number, message: RegExp]>> = {
      'error-400': [400, /max_tokens: 999999 > 64000/],
      'error-401': [502, /refused the key of this route \(401\)/],
      'error-403': [502, /refused the key of this route \(403\)/],
      'error-404': [400, /model: claude-none/],
      'error-413': [413, /exceeds the maximum size/],
      'error-429': [429, /overloaded \(429\)/],
      'error-500': [502, /failed \(500\)/],
      'error-529': [502, /failed \(529\)/],
    }
    for (const [name, [status, message]] of Object.entries(expected)) {
      use(name)
      const error = await refused(openai.chat.completions.create({ model: 'claude', messages }))
      assert.deepEqual([name, error.status], [name, status])
      assert.match(error.message, message)
      assert.ok(!JSON.stringify(error.error).includes('canary'))
      if (status === 429) assert.equal(error.headers?.get('retry-after'), '17')
      await assert.rejects(anthropic.messages.create({ model: 'claude', max_tokens: 64, messages }), message)
    }
  })

  assert.deepEqual([...used].toSorted(), exchangesIn(folder), 'each exchange is replayed')
  assert.ok(upstream.seen.every(({ headers }) => headers['x-api-key'] === key && headers.authorization === undefined))
})
