import assert from 'node:assert/strict'
import test from 'node:test'
import { createDocumentMeter, readDocumentUsage } from './response-meter.ts'

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const chat = { model: 'up-1', choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }
const message = { model: 'claude-1', usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 7 } }

test('a document passes unchanged, and its usage is read in the form of its API', () => {
  for (const [api, body, counts] of [
    ['chat', chat, [7, 3]],
    ['messages', message, [9, 7]],
  ] as const) {
    const meter = createDocumentMeter(api)
    const bytes = bytesOf(body)
    for (let at = 0; at < bytes.length; at += 10) {
      const part = Buffer.from(bytes.subarray(at, at + 10))
      assert.equal(meter.pass(part), part)
      part.fill(0)
    }
    assert.deepEqual([meter.usage()?.inputTokens, meter.usage()?.outputTokens], counts)
    assert.deepEqual([meter.end().length, meter.seenTokens()], [0, undefined])
    assert.equal(readDocumentUsage(api, bytes).model, body.model)
  }
})

test('B3: counts that are no numbers, and what is no JSON object, are no usage', () => {
  for (const usage of [{ prompt_tokens: '7', completion_tokens: 3 }, { total_tokens: 10 }, null, undefined])
    assert.equal(readDocumentUsage('chat', bytesOf({ ...chat, usage })).usage, undefined)
  for (const name of ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'])
    for (const wrong of ['9', -1, 1.5, 2 ** 53, {}]) {
      const usage = { ...message.usage, [name]: wrong }
      assert.equal(readDocumentUsage('messages', bytesOf({ ...message, usage })).usage, undefined, name)
    }
  for (const text of ['', 'null', '[]', '7', '{"usage":', '"usage"'])
    assert.deepEqual(readDocumentUsage('chat', Buffer.from(text)), { usage: undefined, model: undefined })
})

test('a document above 32 MiB passes, and has no usage', () => {
  const meter = createDocumentMeter('chat')
  meter.pass(bytesOf(chat))
  const space = Buffer.alloc(16 * 1024 * 1024, ' ')
  for (let times = 0; times < 2; times++) assert.equal(meter.pass(space), space)
  assert.equal(meter.usage(), undefined)
})
