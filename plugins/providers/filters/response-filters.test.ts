import assert from 'node:assert/strict'
import test from 'node:test'
import type OpenAI from 'openai'
import { contribute } from '#core/jobs/extension-point.ts'
import { needs } from '#test/harness/find-server.ts'
import type { AgentCall } from '../contract/agent-model.ts'
import { agentRuns } from '../contract/points.ts'
import { refused } from '../testing/gateway.ts'
import type { CallFilter, ToolCall } from '../contract/model-filter.ts'
import { completionOf, errors, startFilterGateway } from './testing/filter-gateway.ts'
import type { ScenarioFilter, Script } from './testing/filter-gateway.ts'
import { masking } from './testing/session-filters.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const secret = 'canary-4f1d'
const messages = [{ role: 'user' as const, content: 'hello' }]

const frame = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, ...more }] })}\n\n`
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":2}}\n\n'
const end = [frame({}, { finish_reason: 'stop' }), usage, 'data: [DONE]\n\n']
const never = new Promise<undefined>(() => undefined)

const refusing: CallFilter = {
  text: {
    lookBack: secret.length,
    check: ({ text }) => (text.includes(secret) ? { refuse: errors.acme_secret } : undefined),
  },
}
const failing = (): CallFilter => ({
  text: {
    lookBack: 0,
    check({ text }) {
      if (text.includes('bad')) throw new Error(secret)
      return undefined
    },
  },
})

/** The text of a stream, and the error that ended it. */
async function read(stream: Promise<AsyncIterable<OpenAI.ChatCompletionChunk>>, onText: () => void = () => undefined) {
  let text = ''
  try {
    for await (const chunk of await stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (text !== '') onText()
    }
  } catch (error) {
    return { text, error: error as { status?: number; code?: string; message: string } }
  }
  return { text, error: undefined }
}

test('providers.filter: answers pass, are changed or refused, whole, streamed and of agents', servers, async (t) => {
  const calls: ToolCall[] = []
  const asked: AgentCall[] = []
  const hung = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const mask = { text: masking(new RegExp(secret, 'g'), '[key]', secret.length) }
  const filters: ScenarioFilter[] = [
    { scenario: 'mask', name: 'acme.mask', open: () => mask },
    { scenario: 'order', name: 'acme.names', open: () => ({ text: masking(/<1>/g, 'john', 3) }) },
    {
      scenario: 'order',
      name: 'acme.marks',
      after: ['acme.names'],
      open: () => ({ text: masking(/john/g, '<1>', 4) }),
    },
    { scenario: 'refuse', name: 'acme.refuse', open: () => refusing },
    { scenario: 'closed', name: 'acme.closed', open: failing },
    { scenario: 'open', name: 'acme.open', onFailure: 'pass', open: failing },
    {
      scenario: 'slow',
      name: 'acme.slow',
      timeoutMs: 50,
      open: () => ({ text: { lookBack: 0, check: ({ text }) => (text.includes('bad') ? never : undefined) } }),
    },
    {
      scenario: 'hang',
      name: 'acme.hang',
      open: (_call, { signal }) => {
        signal.addEventListener('abort', () => hung.resolve())
        return { text: { lookBack: 0, check: () => (waiting.resolve(), never) } }
      },
    },
    {
      scenario: 'tools',
      name: 'acme.tools',
      open: () => ({
        async toolCall(call) {
          calls.push(call)
          if (call.name === 'rm') return { refuse: errors.acme_secret, message: 'rm is not allowed.' }
          return call.name === 'mail' ? { change: { name: 'mail', arguments: '{"to":"[hidden]"}' } } : undefined
        },
      }),
    },
    {
      scenario: 'agent',
      name: 'acme.agent',
      open: () => ({
        ...refusing,
        request: (request) => ({ change: request.mapTexts(({ text }) => text.replace(secret, '[key]')) }),
      }),
    },
  ]
  const runUsage = { inputTokens: 1, outputTokens: 2 }
  const invokeForGateway = async (call: AgentCall) => {
    asked.push(call)
    const output = String(call.input) === 'leak' ? `the key: canary-4f1d` : 'all is well'
    for (const piece of output.split(/(?=-)/)) call.onText(piece)
    return { runId: 'r1', state: 'succeeded', output, error: null, usage: runUsage }
  }
  const gateway = await startFilterGateway(t, filters, [
    contribute(agentRuns, {
      invokeForGateway,
      agentOf: async () => undefined,
      agentsAbove: async () => [],
    }),
  ])
  const ask = (scenario: string, script: Script, model = 'up') => {
    gateway.answer(script)
    return gateway.client(scenario).chat.completions.create({ model, messages })
  }
  const stream = (scenario: string, script: Script, signal?: AbortSignal) => {
    gateway.answer(script)
    const body = { model: 'up', messages, stream: true as const }
    return gateway.client(scenario).chat.completions.create(body, signal === undefined ? {} : { signal })
  }
  const split = ['the key: can', 'ary-', '4f', '1d', ' is', ' out'].map((content) => frame({ content }))

  await t.test('a text is changed in a plain answer and in a stream that splits it', async () => {
    const plain = await ask('mask', { json: completionOf({ content: `the key: ${secret} is out` }) })
    assert.equal(plain.choices[0]?.message.content, 'the key: [key] is out')
    const pieces = [frame({ role: 'assistant', content: '' }), ...split, ...end]
    assert.deepEqual(await read(stream('mask', { pieces })), { text: 'the key: [key] is out', error: undefined })
    // Frames are split between chunks too.
    const halves = pieces.join('').match(/[^]{1,37}/g) ?? []
    assert.deepEqual(await read(stream('mask', { pieces: halves })), {
      text: 'the key: [key] is out',
      error: undefined,
    })
    const untouched = await ask('none', { json: completionOf({ content: secret }) })
    assert.equal(untouched.choices[0]?.message.content, secret)
  })

  await t.test('answers pass two filters in the reverse order of requests', async () => {
    const pieces = ['jo', 'hn'].map((content) => frame({ content }))
    assert.equal((await read(stream('order', { pieces: [...pieces, ...end] }))).text, 'john')
    const plain = await ask('order', { json: completionOf({ content: 'john' }) })
    assert.equal(plain.choices[0]?.message.content, 'john')
  })

  await t.test(
    'a refusal before the first content is a 403, a later one an error event, and both end the provider',
    async () => {
      const plain = await refused(ask('refuse', { json: completionOf({ content: secret }) }))
      assert.deepEqual([plain.status, plain.code], [403, 'acme_secret'])
      const closed = gateway.closedUpstreams()
      const early = await read(
        stream('refuse', {
          pieces: [frame({ role: 'assistant', content: '' }), frame({ content: secret })],
          hang: true,
        }),
      )
      assert.deepEqual([early.error?.status, early.error?.code, early.text], [403, 'acme_secret', ''])
      const first = Promise.withResolvers<void>()
      const long = 'a long text before the key '.repeat(3)
      const pieces = [frame({ content: long }), ...split]
      const late = await read(stream('refuse', { pieces, hang: true, pause: first.promise }), () => first.resolve())
      assert.equal(late.text, long.slice(0, -secret.length))
      assert.equal(late.error?.code, 'acme_secret')
      assert.match(late.error.message, /The text contains a secret/)
      await gateway.upstreamsClosed(closed + 2)
    },
  )

  await t.test('a filter that fails or is slow ends the answer, and passes it if it is open', async () => {
    const bad = [frame({ content: 'fine ' }), frame({ content: 'bad' }), ...end]
    for (const [scenario, what] of [
      ['closed', 'failed'],
      ['slow', 'exceeded its timeout'],
    ] as const) {
      const plain = await refused(ask(scenario, { json: completionOf({ content: 'bad' }) }))
      assert.deepEqual([plain.status, plain.code], [503, 'filter_failed'])
      const first = Promise.withResolvers<void>()
      const late = await read(stream(scenario, { pieces: bad, pause: first.promise }), () => first.resolve())
      assert.equal(late.error?.code, 'filter_failed')
      assert.equal(
        late.error.message.includes(`The filter acme.${scenario} ${what}, so the model call was refused.`),
        true,
      )
      assert.equal(late.text, 'fine ')
    }
    assert.deepEqual(await read(stream('open', { pieces: bad })), { text: 'fine bad', error: undefined })
  })

  await t.test('a tool call is decided when it is complete, in a plain answer and in a stream', async () => {
    const call = (name: string, args: string) => ({ id: 'c1', type: 'function', function: { name, arguments: args } })
    const plain = await ask('tools', {
      json: completionOf({ content: null, tool_calls: [call('mail', `{"to":"${secret}"}`)] }),
    })
    const [changed] = plain.choices[0]?.message.tool_calls ?? []
    assert.ok(changed?.type === 'function')
    assert.equal(changed.function.arguments, '{"to":"[hidden]"}')
    const parts = (name: string): string[] => [
      frame({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call(name, '') }] }),
      frame({ tool_calls: [{ index: 0, function: { arguments: '{"to":' } }] }),
      frame({ tool_calls: [{ index: 0, function: { arguments: `"${secret}"}` } }] }),
      frame({}, { finish_reason: 'tool_calls' }),
      'data: [DONE]\n\n',
    ]
    let args = ''
    for await (const chunk of await stream('tools', { pieces: parts('mail') }))
      args += chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? ''
    assert.equal(args, '{"to":"[hidden]"}')
    const error = await refused(stream('tools', { pieces: parts('rm') }))
    assert.deepEqual([error.status, error.code, error.message], [403, 'acme_secret', '403 rm is not allowed.'])
    const whole = { choice: 0, id: 'c1', arguments: `{"to":"${secret}"}` }
    assert.deepEqual(calls, [
      { ...whole, name: 'mail' },
      { ...whole, name: 'mail' },
      { ...whole, name: 'rm' },
    ])
  })

  await t.test('a client that disconnects cancels the filter and the provider', async () => {
    const abort = new AbortController()
    const closed = gateway.closedUpstreams()
    const reading = read(stream('hang', { pieces: [frame({ content: 'x' })], hang: true }, abort.signal))
    await waiting.promise
    abort.abort()
    await hung.promise
    assert.equal((await reading).text, '')
    await gateway.upstreamsClosed(closed + 1)
  })

  await t.test('an answer larger than the limit, and one that cannot be read, are a 502', async () => {
    const large = 'x'.repeat(70_000)
    const cases: readonly Script[] = [
      { json: completionOf({ content: large }) },
      { pieces: ['data: ', large], hang: true },
      { json: { text: secret } },
      { pieces: [`data: ${secret}\n\n`] },
    ]
    for (const script of cases) {
      const error = await refused('json' in script ? ask('mask', script) : stream('mask', script))
      assert.deepEqual([error.status, error.code], [502, 'bad_gateway'])
      assert.equal(error.message.includes(secret), false)
    }
    const long = Array.from({ length: 200 }, () => frame({ content: 'y'.repeat(1_000) }))
    assert.equal((await read(stream('mask', { pieces: [...long, ...end] }))).text.length, 200_000)
  })

  await t.test('requests to agents and their answers pass the filters', async () => {
    const { a } = gateway.namespaces
    const client = gateway.client('agent')
    const say = (content: string) => ({ model: `agent/${a}/robot`, messages: [{ role: 'user' as const, content }] })
    const plain = await client.chat.completions.create(say(`use ${secret}`)).withResponse()
    assert.equal(asked.at(-1)?.input, 'use [key]')
    assert.equal(plain.data.choices[0]?.message.content, 'all is well')
    assert.equal(plain.response.headers.get('x-mesh-run-id'), 'r1')
    const streamed = await read(client.chat.completions.create({ ...say('hi'), stream: true }))
    assert.deepEqual(streamed, { text: 'all is well', error: undefined })
    const whole = await refused(client.chat.completions.create(say('leak')))
    assert.deepEqual([whole.status, whole.code], [403, 'acme_secret'])
    const late = await read(client.chat.completions.create({ ...say('leak'), stream: true }))
    assert.deepEqual([late.text.includes('canary'), late.error?.code], [false, 'acme_secret'])
    assert.equal(asked.at(-1)?.signal.aborted, true)
    const denied = await refused(
      gateway.as('unbound', { 'x-conversation-id': 'agent' }).chat.completions.create(say('hi')),
    )
    assert.deepEqual([denied.status, denied.code], [403, 'forbidden'])
  })

  await t.test('calls are metered with usage, refusals are recorded, nothing has content', async () => {
    // Metering events come in groups, after the refusals.
    const rows = await gateway.metered((found) => {
      const metered = found.filter(({ type }) => type.includes('model-call-metered')).map(({ data }) => data)
      return (
        metered.some(({ status, streamed }) => status === 403 && streamed === true) &&
        metered.some(({ status, inputTokens, streamed }) => status === 200 && inputTokens === 11 && streamed === true)
      )
    })
    const stops = rows
      .filter(({ type }) => type.includes('model-call-refused'))
      .map(({ data }) => `${String(data.filter)} ${String(data.stage)}`)
    assert.deepEqual([...new Set(stops)].toSorted(), [
      'acme.agent text',
      'acme.closed text',
      'acme.refuse text',
      'acme.slow text',
      'acme.tools tool_call',
    ])
    const metrics = await gateway.metrics()
    assert.equal((JSON.stringify(rows) + metrics + gateway.lines.join('')).includes('canary'), false)
    assert.equal(/mesh_model_call_failures_total\{[^}]*reason="broke_off"\} [^0]/.test(metrics), true)
  })
})
