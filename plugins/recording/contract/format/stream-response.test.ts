import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { assembleResponse } from '#core/model-apis/assemble/response.ts'
import { streamResponse } from './stream-response.ts'

const text = fc.string({ unit: 'binary' })
const input = fc.dictionary(
  fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
  fc.jsonValue(),
  { maxKeys: 3 },
)
const counts = fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() })

const toolCall = fc.record({
  id: text,
  type: fc.constant('function'),
  function: fc.record({ name: text, arguments: text }),
})
const chatAnswers = fc
  .record({
    id: text,
    model: text,
    messages: fc.array(
      fc.record(
        {
          role: fc.constant('assistant'),
          content: fc.option(text),
          refusal: text,
          tool_calls: fc.array(toolCall, { minLength: 1 }),
        },
        { requiredKeys: ['role', 'content'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    reason: fc.constantFrom('stop', 'tool_calls', null),
    usage: fc.option(counts, { nil: undefined }),
  })
  .map(({ id, model, messages, reason, usage }) => ({
    id,
    model,
    object: 'chat.completion',
    choices: messages.map((message, index) => ({ index, message, finish_reason: reason })),
    ...(usage === undefined ? {} : { usage }),
  }))

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.record({ type: fc.constant('tool_use'), id: text, name: text, input }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
)
const messages = fc.record({
  id: text,
  type: fc.constant('message'),
  role: fc.constant('assistant'),
  model: text,
  content: fc.array(block, { maxLength: 4 }),
  stop_reason: fc.constantFrom('end_turn', 'tool_use', null),
  stop_sequence: fc.option(text),
  usage: counts,
})

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('the stream of a recorded answer adds up to the answer', async () => {
  for (const [operation, answers] of [
    ['chat/completions', chatAnswers],
    ['messages', messages],
  ] as const)
    await fc.assert(
      fc.asyncProperty(answers as fc.Arbitrary<Record<string, unknown>>, async (answer) => {
        const frames = streamResponse(operation, answer)
        assert.ok(frames !== undefined)
        assert.deepEqual(await assembleResponse(operation, Buffer.concat(frames)), plain(answer))
      }),
    )
})

test('arguments that a model wrote as no JSON stay as they are', async () => {
  const answer = { type: 'message', content: [{ type: 'tool_use', id: 'a', name: 'b', input: '{"cut' }], usage: {} }
  const frames = streamResponse('messages', answer) ?? []
  assert.deepEqual(await assembleResponse('messages', Buffer.concat(frames)), answer)
})

test('F1: an answer of another form has no stream', () => {
  const odd = [
    {},
    { choices: [] },
    { choices: {} },
    { choices: [null] },
    { choices: [{ message: 'a' }] },
    { content: 'a' },
  ]
  for (const answer of [...odd, { content: [1] }])
    for (const operation of ['chat/completions', 'messages', 'embeddings'])
      assert.equal(streamResponse(operation, answer), undefined, `${operation} ${JSON.stringify(answer)}`)
})
