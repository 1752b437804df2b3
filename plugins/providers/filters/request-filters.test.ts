import assert from 'node:assert/strict'
import test from 'node:test'
import type OpenAI from 'openai'
import { needs } from '#test/harness/find-server.ts'
import { refused } from '../testing/gateway.ts'
import type { FilteredCall, ModelRequest } from '../contract/model-filter.ts'
import { completionOf, contentsOf, errors, startFilterGateway } from './testing/filter-gateway.ts'
import type { ScenarioFilter } from './testing/filter-gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const secret = 'canary-4f1d'

const append = (mark: string) => ({
  request: (request: ModelRequest) => ({ change: request.mapTexts(({ text }) => `${text}${mark}`) }),
})
const failing = {
  request: () => {
    throw new Error(`no ${secret} here`)
  },
}

test('providers.filter: requests pass, are changed or refused before a provider is called', servers, async (t) => {
  const seen: FilteredCall[] = []
  const hung = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const never = new Promise<undefined>(() => undefined)
  let lateSignal: AbortSignal | undefined
  const filters: ScenarioFilter[] = [
    { scenario: 'order', name: 'acme.a', after: ['acme.z'], open: () => append('-a') },
    { scenario: 'order', name: 'acme.z', open: async () => append('-z') },
    {
      scenario: 'refuse',
      name: 'acme.refuse',
      open: (call) => (
        seen.push(call),
        { request: () => ({ refuse: errors.acme_secret, message: 'Remove the key.' }) }
      ),
    },
    { scenario: 'closed', name: 'acme.closed', open: () => failing },
    { scenario: 'open', name: 'acme.open', onFailure: 'pass', open: () => failing },
    { scenario: 'broken', name: 'acme.broken', open: () => Promise.reject(new Error(secret)) },
    {
      scenario: 'slow',
      name: 'acme.slow',
      timeoutMs: 50,
      open: (_call, { signal }) => ((lateSignal = signal), { request: () => never }),
    },
    {
      scenario: 'model',
      name: 'acme.model',
      open: () => ({ request: ({ body }) => ({ change: { ...body, model: 'other' } }) }),
    },
    { scenario: 'odd', name: 'acme.odd', open: () => ({ request: () => true as never }) },
    {
      scenario: 'hang',
      name: 'acme.hang',
      open: (_call, { signal }) => {
        signal.addEventListener('abort', () => hung.resolve())
        return { request: () => (waiting.resolve(), never) }
      },
    },
    {
      scenario: 'texts',
      name: 'acme.texts',
      open: () => ({
        request: (request) => ({ change: { ...request.body, user: JSON.stringify(request.texts()) } }),
      }),
    },
  ]
  const gateway = await startFilterGateway(t, filters)
  gateway.answer({ json: completionOf({ content: 'fine' }) })
  const ask = (scenario: string, content: string, options: OpenAI.RequestOptions = {}) =>
    gateway.client(scenario).chat.completions.create({ model: 'up', messages: [{ role: 'user', content }] }, options)
  const { seen: sent } = gateway.upstream

  await t.test('a call without a filter that applies is forwarded as it is', async () => {
    assert.equal((await ask('none', 'hi')).choices[0]?.message.content, 'fine')
    assert.deepEqual(contentsOf(sent.at(-1)?.body), ['hi'])
  })

  await t.test('filters see the request in the declared order, each with the changes of those before it', async () => {
    await ask('order', 'hi')
    assert.deepEqual(contentsOf(sent.at(-1)?.body), ['hi-z-a'])
  })

  await t.test('a refusal is a 403 with the code of the filter, and no provider is called', async () => {
    const before = sent.length
    const error = await refused(ask('refuse', secret))
    assert.deepEqual(
      [error.status, error.code, error.type, error.message],
      [403, 'acme_secret', 'permission_error', '403 Remove the key.'],
    )
    assert.equal(sent.length, before)
    const { a } = gateway.namespaces
    assert.deepEqual(
      seen.map(({ header, ...call }) => ({ ...call, header: typeof header, traceparent: '' })),
      [
        {
          operation: 'chat/completions',
          model: { kind: 'route', namespace: a, name: 'up' },
          caller: { kind: 'person', username: 'developer' },
          agent: undefined,
          payer: undefined,
          runId: undefined,
          conversationId: 'refuse',
          traceparent: '',
          streamed: false,
          header: 'function',
        },
      ],
    )
  })

  await t.test('a filter that fails is closed by default, and open if it declares so', async () => {
    const before = sent.length
    for (const [scenario, what] of [
      ['closed', 'failed'],
      ['broken', 'failed'],
      ['model', 'failed'],
      ['odd', 'failed'],
      ['slow', 'exceeded its timeout'],
    ] as const) {
      const error = await refused(ask(scenario, secret))
      const message = `503 The filter acme.${scenario} ${what}, so the model call was refused.`
      assert.deepEqual([error.status, error.code, error.message], [503, 'filter_failed', message])
    }
    assert.equal(lateSignal?.aborted, true)
    assert.equal(sent.length, before)
    assert.equal((await ask('open', 'hi')).choices[0]?.message.content, 'fine')
    assert.deepEqual(contentsOf(sent.at(-1)?.body), ['hi'])
  })

  await t.test('a client that disconnects cancels the filter', async () => {
    const abort = new AbortController()
    const asked = ask('hang', 'hi', { signal: abort.signal })
    await waiting.promise
    abort.abort()
    await assert.rejects(asked)
    await hung.promise
  })

  await t.test('a filter sees every text of messages with odd shapes, and of embeddings', async () => {
    const textsOf = async (body: object): Promise<unknown> => {
      await gateway.client('texts').post('/chat/completions', { body: { model: 'up', ...body } })
      return JSON.parse(String(sent.at(-1)?.body.user))
    }
    const call = { id: 'call_1', type: 'function', function: { name: 'mail', arguments: '{"to":"x"}' } }
    const messages = [
      {
        role: 'user',
        content: [{ type: 'text', text: 'one' }, { type: 'image_url', image_url: { url: 'data:' } }, 5, null],
      },
      { role: 'assistant', content: null, tool_calls: [call], 'a/b': { constructor: 'deep' } },
      { role: 7, content: { nested: ['x'] } },
    ]
    assert.deepEqual(await textsOf({ messages }), [
      { pointer: '/messages/0/content/0/text', role: 'user', text: 'one' },
      { pointer: '/messages/0/content/1/image_url/url', role: 'user', text: 'data:' },
      { pointer: '/messages/0/content/2', role: 'user', text: '5' },
      { pointer: '/messages/1/tool_calls/0/id', role: 'assistant', text: 'call_1' },
      { pointer: '/messages/1/tool_calls/0/function/name', role: 'assistant', text: 'mail' },
      { pointer: '/messages/1/tool_calls/0/function/arguments/to', role: 'assistant', text: 'to', isName: true },
      { pointer: '/messages/1/tool_calls/0/function/arguments/to', role: 'assistant', text: 'x' },
      { pointer: '/messages/1/a~1b', role: 'assistant', text: 'a/b', isName: true },
      { pointer: '/messages/1/a~1b/constructor', role: 'assistant', text: 'constructor', isName: true },
      { pointer: '/messages/1/a~1b/constructor', role: 'assistant', text: 'deep' },
      { pointer: '/messages/2/role', text: '7' },
      { pointer: '/messages/2/content/nested', text: 'nested', isName: true },
      { pointer: '/messages/2/content/nested/0', text: 'x' },
    ])
    assert.deepEqual(sent.at(-1)?.body.messages, messages)
    gateway.answer({ json: { object: 'list', data: [], model: 'x', usage: { prompt_tokens: 1, total_tokens: 1 } } })
    await gateway.client('order').embeddings.create({ model: 'up', input: ['one', 'two'] })
    assert.deepEqual(sent.at(-1)?.body.input, ['one-z-a', 'two-z-a'])
    let deep: unknown = 'x'
    for (let depth = 0; depth < 50; depth++) deep = [deep]
    const nested = (await textsOf({ messages: [{ role: 'user', content: deep }] })) as { text: string }[]
    assert.deepEqual(
      nested.map(({ text }) => text),
      ['x'],
    )
  })

  await t.test('refusals are recorded and counted without content', async () => {
    const rows = await gateway.metered(6 + sent.length)
    const stops = rows.filter(({ type }) => type === 'dev.mesh.providers.model-call-refused.v1')
    const expected = [
      'acme.broken open failed filter_failed',
      'acme.closed request failed filter_failed',
      'acme.model request failed filter_failed',
      'acme.odd request failed filter_failed',
      'acme.refuse request refused acme_secret',
      'acme.slow request timed_out filter_failed',
    ]
    const shown = stops.map(({ data }) => [data.filter, data.stage, data.outcome, data.code].join(' '))
    assert.deepEqual(shown.toSorted(), expected)
    const metrics = await gateway.metrics()
    assert.match(
      metrics,
      /mesh_model_filter_decisions_total\{filter="acme.refuse",stage="request",outcome="refused"\} 1/,
    )
    assert.match(metrics, /mesh_model_filter_decisions_total\{filter="acme.open",stage="request",outcome="failed"\} 1/)
    assert.match(metrics, /mesh_model_filter_busy_seconds_total\{filter="acme.a"\}/)
    const written = JSON.stringify(rows) + metrics + gateway.lines.join('')
    assert.equal(written.includes(secret), false)
    assert.equal(
      gateway.lines.some((line) => line.includes('model filter failed')),
      true,
    )
  })
})
