import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { refused } from '../testing/gateway.ts'
import {
  delta,
  doneFrame,
  hello,
  refusedByAnthropic,
  secret,
  startApis,
  time,
  usageFrame,
} from '../testing/api-gateway.ts'
import type { ApiGateway } from '../testing/api-gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')

async function callsByAnthropic(gateway: ApiGateway): Promise<void> {
  const client = gateway.anthropic()
  const ask = { model: 'scripted', max_tokens: 100, system: 'Be brief.', messages: hello, tools: [time] }
  const wanted = [{ type: 'tool_use', id: 'call_mock_1', name: 'time', input: { zone: 'UTC' } }]
  const whole = await client.messages.create(ask)
  const streamed = await client.messages.stream(ask).finalMessage()
  for (const { content, stop_reason: reason, usage, role, type, id } of [whole, streamed]) {
    assert.deepEqual(JSON.parse(JSON.stringify(content)), wanted)
    assert.deepEqual([reason, role, type, id.startsWith('msg_')], ['tool_use', 'assistant', 'message', true])
    assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0)
  }
  const answered = await client.messages.create({
    ...ask,
    messages: [
      ...hello,
      { role: 'assistant', content: whole.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_mock_1', content: 'late' }] },
    ],
  })
  assert.deepEqual(
    [answered.content[0]?.type === 'text' && answered.content[0].text, answered.stop_reason],
    ['it is late', 'end_turn'],
  )

  gateway.answer({
    pieces: [delta({ role: 'assistant', content: 'Hel' }), delta({ content: 'lo' }, 'length'), usageFrame, doneFrame],
  })
  const seen: unknown[] = []
  for await (const { type } of await client.messages.create({
    model: 'up',
    max_tokens: 7,
    messages: hello,
    stream: true,
  }))
    seen.push(type)
  assert.deepEqual(seen, [
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const sent = gateway.upstream.seen.at(-1)?.body
  assert.deepEqual([sent?.model, sent?.max_tokens, sent?.stream_options], ['test-1', 7, { include_usage: true }])
  const cut = await client.messages.stream({ model: 'up', max_tokens: 7, messages: hello }).finalMessage()
  const { usage } = cut
  assert.deepEqual(
    [cut.stop_reason, cut.model, usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens],
    ['max_tokens', 'test-1', 5, 4, 5],
  )
  const rows = await gateway.metered((some) => some.some(({ data }) => data.cachedTokens === 4))
  const counts = rows.map(({ data }) => [
    data.operation,
    data.streamed,
    data.inputTokens,
    data.cachedTokens,
    data.reasoningTokens,
  ])
  assert.deepEqual(
    counts.findLast((one) => one[3] === 4),
    ['chat/completions', true, 9, 4, 3],
  )
}

async function callsByOpenAi(gateway: ApiGateway): Promise<void> {
  const client = gateway.openai()
  const fn = { type: 'function' as const, name: 'time', parameters: { type: 'object', properties: {} }, strict: null }
  const ask = { model: 'scripted', input: 'what time is it?', instructions: 'Be brief.', tools: [fn] }
  for (const { output, status } of [
    await client.responses.create(ask),
    await client.responses.stream(ask).finalResponse(),
  ]) {
    const [call] = output
    assert.ok(call?.type === 'function_call')
    assert.deepEqual([call.name, call.arguments, status], ['time', '{"zone":"UTC"}', 'completed'])
  }
  const schema = { type: 'object', required: ['size'], properties: { size: { enum: [3] } } }
  const structured = await client.responses.create({
    model: 'mock',
    input: 'x',
    text: { format: { type: 'json_schema', name: 'thing', schema } },
  })
  assert.equal(structured.output_text, '{"size":3}')

  gateway.answer({ pieces: [delta({ content: 'Hel' }), delta({ content: 'lo' }, 'stop'), usageFrame, doneFrame] })
  const seen: string[] = []
  const numbers: number[] = []
  for await (const event of await client.responses.create({ model: 'up', input: 'x', stream: true })) {
    seen.push(event.type)
    numbers.push(event.sequence_number)
  }
  assert.deepEqual(seen, [
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  assert.deepEqual(numbers, [...seen.keys()])
  const final = await client.responses.stream({ model: 'up', input: 'x' }).finalResponse()
  assert.deepEqual(
    [
      final.output_text,
      final.usage?.input_tokens_details.cached_tokens,
      final.usage?.output_tokens_details.reasoning_tokens,
    ],
    ['Hello', 4, 3],
  )
}

async function agents(gateway: ApiGateway): Promise<void> {
  const model = `agent/${gateway.namespaces.a}/robot`
  const ask = { model, max_tokens: 5, messages: hello }
  const text = { type: 'text', text: 'I am robot' }
  const client = gateway.anthropic()
  const whole = await client.messages.create(ask)
  assert.deepEqual([whole.content[0], whole.usage.input_tokens], [text, 4])
  assert.equal(await client.messages.stream(ask).finalText(), 'I am robot')
  assert.equal((await gateway.openai().responses.create({ model, input: 'hi' })).output_text, 'I am robot')
  assert.deepEqual(
    gateway.asked.map(({ input }) => input),
    ['what time is it?', 'what time is it?', 'hi'],
  )
  const failing = { ...ask, messages: [{ role: 'user' as const, content: 'fail' }] }
  const again = client.withOptions({ maxRetries: 2 })
  assert.deepEqual(
    { ...(await refusedByAnthropic(again.messages.create(failing))), message: '' },
    { status: 502, type: 'api_error', code: 'agent_error', message: '' },
  )
  const streamed = await refusedByAnthropic(client.messages.stream(failing).finalMessage())
  assert.deepEqual([streamed.status, streamed.code], [undefined, 'agent_error'])
  assert.equal(gateway.asked.length, 5, 'no call is repeated')
}

async function filters(gateway: ApiGateway): Promise<void> {
  const ask = { model: 'up', max_tokens: 5, messages: hello }
  const before = gateway.upstream.seen.length
  const hidden = { ...ask, messages: [{ role: 'user' as const, content: `say ${secret}` }] }
  const client = gateway.anthropic('guarded')
  assert.deepEqual(await refusedByAnthropic(client.messages.create(hidden)), {
    status: 403,
    type: 'permission_error',
    code: 'acme_secret',
    message: 'A secret.',
  })
  const error = await refused(gateway.openai('guarded').responses.create({ model: 'up', input: `say ${secret}` }))
  assert.deepEqual([error.status, error.code], [403, 'acme_secret'])
  assert.equal(gateway.upstream.seen.length, before)

  const pieces = [delta({ content: 'it is MAG' }), delta({ content: 'ENTA-7.' }, 'stop'), usageFrame, doneFrame]
  gateway.answer({ pieces })
  assert.equal(await client.messages.stream(ask).finalText(), 'it is ***.')
  const streamed = await gateway.openai('guarded').responses.stream({ model: 'up', input: 'x' }).finalResponse()
  assert.equal(streamed.output_text, 'it is ***.')
  gateway.answer({
    json: {
      choices: [{ index: 0, message: { content: `it is ${secret}` }, finish_reason: 'stop' }],
      output_text: secret,
    },
  })
  assert.equal(JSON.stringify(await client.messages.create(ask)).includes(secret), false)
  const whole = await gateway.openai('guarded').responses.create({ model: 'up', input: 'x' })
  assert.deepEqual([whole.output_text, JSON.stringify(whole).includes(secret)], ['it is ***', false])
}

test('calls in the APIs of Anthropic and OpenAI are translated to chat completions', servers, async (t) => {
  const gateway = await startApis(t)
  await t.test('Anthropic’s SDK calls mocks and providers with OpenAI’s API: whole, streamed, with tools', () =>
    callsByAnthropic(gateway),
  )
  await t.test('OpenAI’s SDK creates responses: whole, streamed, with functions and structured output', () =>
    callsByOpenAi(gateway),
  )
  await t.test('agents answer in both APIs, and a failed run is an error that SDKs do not retry', () => agents(gateway))
  await t.test('filters see chat completions, and their changes and refusals reach the caller in its API', () =>
    filters(gateway),
  )
})
