import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import type { MeteredModelCall } from '../contract/events.ts'
import { addKey, addTargets, refused, startGateway, startUpstream } from '../testing/gateway.ts'
import { exchangesIn, replay } from '../testing/replay.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const folder = join(import.meta.dirname, 'testdata', 'exchanges')
const key = 'sk-canary-0123456789'
const messages = [{ role: 'user' as const, content: 'Hello.' }]

/** An endpoint: its fields of the ModelProvider, and the credential that its documents ask for. */
const endpoints = {
  openai: { fields: { organization: 'org-0' }, header: 'authorization', value: `Bearer ${key}`, query: '' },
  azure: { fields: { azure: {} }, header: 'api-key', value: key, query: '' },
  preview: {
    fields: { azure: { apiVersion: 'preview' } },
    header: 'api-key',
    value: key,
    query: '?api-version=preview',
  },
  gemini: { fields: {}, header: 'authorization', value: `Bearer ${key}`, query: '' },
  vllm: { fields: {}, header: 'authorization', value: `Bearer ${key}`, query: '' },
  ollama: { fields: undefined, header: 'authorization', value: undefined, query: '' },
} as const

type Endpoint = keyof typeof endpoints

async function setUp(t: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  let exchange = ''
  const upstream = await startUpstream(t, (response) => replay(join(folder, `${exchange}.http`), response))
  await addKey(gateway, a, { name: 'key', key, origin: new URL(upstream.url).origin })
  for (const [name, { fields }] of Object.entries(endpoints)) {
    const keyed = fields === undefined ? {} : { ...fields, secretRef: { name: 'key', key: 'key' } }
    const provider = { type: 'openai', baseUrl: upstream.url, ...keyed }
    const route = { providerRef: { name }, model: 'm', retryOn: [] }
    await addTargets(gateway, a, name, { providers: { [name]: provider }, route })
  }
  const client = gateway.as('developer')
  const used = new Set<string>()
  const asked: Endpoint[] = []
  const use = (name: string, endpoint: Endpoint): void => {
    exchange = name
    used.add(name)
    asked.push(endpoint)
  }
  const modelOf = (name: string) => name.slice(0, name.indexOf('/')) as Endpoint
  const whole = async (name: string, model = modelOf(name)) => {
    use(name, model)
    return client.chat.completions.create({ model, messages })
  }
  const streamed = async (name: string) => {
    use(name, modelOf(name))
    const options = { model: modelOf(name), messages, stream_options: { include_usage: true } }
    const { choices, usage } = await client.chat.completions.stream(options).finalChatCompletion()
    const [choice] = choices
    const tools = choice?.message.tool_calls?.map((one) => one.type === 'function' && one.function.arguments)
    return { text: choice?.message.content, finish: choice?.finish_reason, tools, usage }
  }
  const failed = async (name: string) => {
    use(name, modelOf(name))
    return refused(client.chat.completions.create({ model: modelOf(name), messages }))
  }
  const metered = async () => (await gateway.metered(asked.length)).at(-1)?.data as MeteredModelCall | undefined
  return { upstream, gateway, used, asked, whole, streamed, failed, metered }
}

test(
  'exchanges with OpenAI, Azure, Gemini, Ollama and vLLM are relayed, and counted as they are billed',
  servers,
  async (t) => {
    const { upstream, gateway, used, asked, whole, streamed, failed, metered } = await setUp(t)
    const counted = async () => {
      const { inputTokens, outputTokens, reasoningTokens, usageReported } = (await metered()) ?? {}
      return [inputTokens, outputTokens, reasoningTokens, usageReported]
    }

    await t.test('whole responses', async () => {
      const expected: Readonly<Record<string, readonly [text: string, counts: readonly number[]]>> = {
        'openai/message': ['Grüß dich, Ada 🙂', [19, 74, 64]],
        'azure/message': ['Hello from the deployment.', [21, 9, 0]],
        // 395 tokens of thoughts are in the total only.
        'gemini/message': ['Hallo, Ada.', [8, 404, 395]],
        'ollama/message': ['Hello, Ada.', [31, 5, 0]],
        'vllm/message': ['\n\nHello, Ada.', [14, 138, 0]],
      }
      for (const [name, [text, counts]] of Object.entries(expected)) {
        assert.equal((await whole(name)).choices[0]?.message.content, text)
        assert.deepEqual([name, ...(await counted())], [name, ...counts, true])
      }
      const [choice] = (await whole('azure/message-tools')).choices
      assert.equal(choice?.finish_reason, 'tool_calls')
    })

    await t.test('streams, whose last chunk with a usage counts', async () => {
      const expected: Readonly<Record<string, readonly [text: string, counts: readonly number[]]>> = {
        'openai/stream': ['Grüß dich, Ada 🙂', [19, 74, 64]],
        'azure/stream': ['Hello from the deployment.', [21, 9, 0]],
        'gemini/stream': ['Hallo, Ada.', [8, 404, 395]],
        'ollama/stream': ['Hello, Ada.', [31, 5, 0]],
        'vllm/stream': ['Hello, Ada.', [14, 138, 0]],
      }
      for (const [name, [text, counts]] of Object.entries(expected)) {
        const answer = await streamed(name)
        assert.deepEqual([name, answer.text, answer.finish], [name, text, 'stop'])
        assert.deepEqual([name, ...(await counted())], [name, ...counts, true])
      }
    })

    await t.test('calls of tools, in parts or whole', async () => {
      const location = '{"location":"Zürich"}'
      const expected: Readonly<Record<string, readonly string[]>> = {
        'openai/stream-tools': [location, '{}'],
        'gemini/stream-tools': [location],
        'ollama/stream-tools': [location],
        'vllm/stream-tools': ['{"location": "Zürich"}'],
      }
      for (const [name, tools] of Object.entries(expected)) {
        const answer = await streamed(name)
        assert.deepEqual([name, answer.finish, answer.tools], [name, 'tool_calls', tools])
        assert.equal((await metered())?.usageReported, true, name)
      }
    })

    await t.test('errors say what helps, and never show a key', async () => {
      const expected: Readonly<Record<string, readonly [status: number, code: string, message: RegExp]>> = {
        'openai/error-400': [400, 'provider_refused', /Use 'max_completion_tokens' instead/],
        'openai/error-401': [502, 'provider_refused_key', /refused the key of this route \(401\)/],
        'openai/error-429': [429, 'rate_limit_exceeded', /overloaded \(429\)/],
        'azure/error-400': [400, 'provider_refused', /content management policy/],
        'azure/error-401': [502, 'provider_refused_key', /refused the key of this route \(401\)/],
        'azure/error-404': [400, 'provider_refused', /deployment for this resource does not exist/],
        'azure/error-429': [429, 'rate_limit_exceeded', /overloaded \(429\)/],
        'gemini/error-key': [502, 'provider_refused_key', /refused the key of this route \(400\)/],
        'gemini/error-400': [400, 'provider_refused', /Unknown name "reasoning"/],
        'gemini/error-429': [429, 'rate_limit_exceeded', /overloaded \(429\)/],
        'gemini/error-503': [502, 'bad_gateway', /failed \(503\)/],
        'ollama/error-404': [400, 'provider_refused', /model "llama9" not found, try pulling it first/],
        'vllm/error-404': [400, 'provider_refused', /The model `Qwen\/none` does not exist/],
        'vllm/error-400-older': [400, 'provider_refused', /maximum context length is 4096/],
      }
      for (const [name, [status, code, message]] of Object.entries(expected)) {
        const error = await failed(name)
        assert.deepEqual([name, error.status, error.code], [name, status, code])
        assert.match(error.message, message)
        assert.ok(!JSON.stringify(error.error).includes('canar'), name)
      }
      assert.equal((await failed('azure/error-429')).headers?.get('retry-after'), '12')
      await assert.rejects(streamed('vllm/stream-error'), /EngineCore encountered an issue/)
    })

    assert.deepEqual([...used].toSorted(), exchangesIn(folder), 'each exchange is replayed')
    await whole('azure/message', 'preview')
    for (const [index, { url, headers }] of upstream.seen.entries()) {
      const { header, value, query } = endpoints[asked[index] ?? 'openai']
      assert.deepEqual([url, headers[header]], [`/v1/chat/completions${query}`, value])
      const other = header === 'api-key' ? 'authorization' : 'api-key'
      assert.equal(headers[other], undefined)
    }
    assert.equal(upstream.seen.length, asked.length)
    assert.ok(!gateway.lines.join('').includes('canary'))
  },
)
