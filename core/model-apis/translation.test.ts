import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { InvalidRequest } from './invalid-request.ts'
import { createChatChunks, messageToChat } from './messages-to-chat-response.ts'
import { hostileJson as hostile } from './testing/hostile-json.ts'
import { messagesTranslation, responsesTranslation } from './translation.ts'

const fields = [
  'model',
  'messages',
  'input',
  'system',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'metadata',
  'thinking',
]
const bodies = fc
  .dictionary(fc.constantFrom(...fields), hostile)
  .map((body): Readonly<Record<string, unknown>> => ({ max_tokens: 5, ...body }))

for (const [name, translation] of Object.entries({ messagesTranslation, responsesTranslation }))
  test(`F1: ${name} turns any body into a chat completion or names the field that it cannot translate`, () => {
    fc.assert(
      fc.property(bodies, (body) => {
        try {
          const chat = translation.request(body)
          assert.ok(Array.isArray(chat.messages) && chat.messages.length > 0)
        } catch (error) {
          assert.ok(error instanceof InvalidRequest, String(error))
          assert.ok(error.field !== '' && error.message.length < 500)
        }
      }),
      { numRuns: 2_000 },
    )
  })

for (const [name, translation] of Object.entries({ messagesTranslation, responsesTranslation }))
  test(`F5: ${name} turns any answer and any chunk into an answer of its API`, () => {
    const answers = fc.dictionary(fc.constantFrom('choices', 'usage', 'model', 'id'), hostile)
    const deltas = fc.record({
      choices: fc.array(fc.record({ delta: hostile, finish_reason: hostile }), { maxLength: 2 }),
    })
    fc.assert(
      fc.property(answers, fc.array(deltas, { maxLength: 5 }), (answer, chunks) => {
        JSON.parse(JSON.stringify(translation.whole(answer)))
        const events = translation.events()
        const text = Buffer.concat([...chunks.map((chunk) => events.chunk(chunk)), events.end()]).toString('utf8')
        for (const line of text.split('\n').filter((one) => one.startsWith('data: '))) JSON.parse(line.slice(6))
      }),
      { numRuns: 500 },
    )
  })

test('F5: answers of any form of a provider with messages', () => {
  const events = fc.record({
    type: fc.constantFrom('message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'error', 'x'),
    message: hostile,
    content_block: hostile,
    delta: hostile,
    usage: hostile,
    error: hostile,
    index: hostile,
  })
  fc.assert(
    fc.property(fc.array(events, { maxLength: 6 }), (stream) => {
      const chunks = createChatChunks(1)
      for (const event of stream)
        for (const data of chunks.event(event)) assert.ok(data === '[DONE]' || JSON.parse(data) !== null)
      for (const event of stream) JSON.stringify(messageToChat(event, 1))
    }),
    { numRuns: 1_000 },
  )
})

/** CPU time of the fastest of some attempts, in milliseconds. */
function costOf(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const from = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(from)
      return (user + system) / 1000
    }),
  )
}

test('B3: a message whose usage is not known is a chat completion without usage, not one of 0 tokens', () => {
  const message = { type: 'message', role: 'assistant', model: 'claude-1', content: [], stop_reason: 'end_turn' }
  for (const usage of [undefined, {}, { input_tokens: '5', output_tokens: 7 }]) {
    assert.equal(messageToChat({ ...message, usage }, 1).usage, undefined)
    const chunks = createChatChunks(1)
    chunks.event({ type: 'message_start', message: { ...message, usage } })
    assert.deepEqual(chunks.event({ type: 'message_stop' }), ['[DONE]'])
  }
})

test('F2: the cost of a translation grows with the size of the body', () => {
  const worst = (size: number) => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' }
    const block = { type: 'tool_result', tool_use_id: 't', content: '' }
    const repeat = <T>(one: T): T[] => Array.from({ length: size }, () => one)
    return [
      () => responsesTranslation.request({ model: 'm', input: repeat(call) }),
      () =>
        responsesTranslation.request({
          model: 'm',
          input: [{ role: 'user', content: repeat({ type: 'input_text', text: '' }) }],
        }),
      () =>
        messagesTranslation.request({
          model: 'm',
          max_tokens: 1,
          messages: [{ role: 'user', content: repeat(block) }],
        }),
      () =>
        messagesTranslation.request({
          model: 'm',
          max_tokens: 1,
          system: repeat({ type: 'text', text: '' }),
          messages: [{ role: 'user', content: '' }],
        }),
    ]
  }
  const [small, large] = [worst(4_000), worst(64_000)]
  for (const [index, work] of large.entries()) {
    const least = costOf(small[index] ?? work)
    // 16 times the size; quadratic would be 256 times the cost.
    assert.ok(costOf(work) <= Math.max(least, 1) * 100, `case ${index}`)
  }
})
