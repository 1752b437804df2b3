import assert from 'node:assert/strict'
import test from 'node:test'
import { createRedactor } from '#core/guardrails/redactor.ts'
import type { SpanContent } from '#core/telemetry/span-content.ts'
import { readRequest, readResponse } from '../contract/content/read-messages.ts'
import { MAX_CONTENT_CHARS, toContentAttributes } from './content-attributes.ts'
import { createContentQueue } from './content-queue.ts'

const redact = createRedactor(['email']).text
const key = 'sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2'

async function attributesOf(content: SpanContent): Promise<Record<string, unknown>> {
  const attributes = await toContentAttributes(content, redact)
  for (const value of Object.values(attributes)) assert.ok(String(value).length <= MAX_CONTENT_CHARS)
  const isJson = ([, value]: readonly [string, unknown]) => typeof value === 'string'
  return Object.fromEntries(
    Object.entries(attributes).map((one) => (isJson(one) ? [one[0], JSON.parse(String(one[1]))] : one)),
  )
}

test('UX-8: messages of both APIs are read in one form', () => {
  const chat = readRequest({
    messages: [
      { role: 'system', content: 'Count.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'How much?' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'calc', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
    ],
  })
  assert.deepEqual(chat, {
    system: [{ type: 'text', content: 'Count.' }],
    input: [
      { role: 'user', parts: [{ type: 'text', content: 'How much?' }, { type: 'image_url' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'calc', arguments: { a: 1 } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '42' }] },
    ],
  })
  const messages = readRequest({
    system: [{ type: 'text', text: 'Count.' }],
    messages: [
      { role: 'user', content: 'How much?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'calc', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '42' }] }] },
    ],
  })
  assert.deepEqual(messages.system, chat.system)
  assert.deepEqual(messages.input?.[1], chat.input?.[1])
  assert.deepEqual(
    readResponse({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: '42' },
      ],
    }),
    [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm.' },
          { type: 'text', content: '42' },
        ],
      },
    ],
  )
  for (const hostile of [
    {},
    { messages: 1 },
    { messages: [null, 7, { content: {} }] },
    { messages: [{ role: 7, tool_calls: [1, {}] }] },
  ])
    assert.doesNotThrow(() => JSON.stringify(readRequest(hostile)))
})

test('UX-8: content is redacted: texts, names, numbers, nested values and fields that name a credential', async () => {
  const found = await attributesOf({
    input: [{ role: 'user', parts: [{ type: 'text', content: `Write to ann@example.com with ${key}.` }] }],
    arguments: { password: 'swordfish', nested: [{ token: 7 }], 'eve@example.com': true, n: 5, text: 'a\0b\ud800' },
    result: { error: `no ${key}` },
  })
  assert.deepEqual(found['gen_ai.input.messages'], [
    { role: 'user', parts: [{ type: 'text', content: 'Write to [redacted] with [redacted].' }] },
  ])
  assert.deepEqual(found['gen_ai.tool.call.arguments'], {
    password: '[redacted]',
    nested: [{ token: '[redacted]' }],
    '[redacted]': true,
    n: 5,
    text: 'a\ufffdb\ufffd',
  })
  assert.deepEqual(found['gen_ai.tool.call.result'], { error: 'no [redacted]' })
  assert.equal(found['mesh.content.cut'], undefined)
})

test('UX-8: content is bounded: the newest messages are kept, and a cut leaves no part of a secret', async () => {
  const message = (n: number, text: string) => ({ role: 'user', parts: [{ type: 'text', content: `${n} ${text}` }] })
  const many = await attributesOf({ input: Array.from({ length: 100 }, (_, n) => message(n, 'x'.repeat(1000))) })
  const kept = many['gen_ai.input.messages'] as readonly { parts: readonly { content: string }[] }[]
  assert.match(kept.at(-1)?.parts[0]?.content ?? '', /^99 /)
  assert.ok(kept.length > 10 && kept.length < 17, `${kept.length}`)
  assert.equal(many['mesh.content.cut'], true)
  const pem = `-----BEGIN PRIVATE KEY-----\n${'A1b2'.repeat(400)}\n-----END PRIVATE KEY-----`
  for (let before = 14_000; before < 17_000; before += 97) {
    const { 'gen_ai.tool.call.result': result, 'mesh.content.cut': isCut } = await attributesOf({
      result: `${'y '.repeat(before / 2)}${key} ${pem}${' z'.repeat(5_000)}`,
    })
    assert.doesNotMatch(String(result), /sk-|A1b2/, `after ${before}`)
    assert.equal(isCut, true)
  }
  const deep = JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`) as unknown
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 'v'.repeat(50)]))
  assert.equal((await attributesOf({ arguments: deep }))['mesh.content.cut'], true)
  assert.equal((await attributesOf({ arguments: wide, result: '\0'.repeat(40_000) }))['mesh.content.cut'], true)
})

test('UX-8: contents beyond the limit of waiting spans are left out, and one that cannot be read as well', async () => {
  const queue = createContentQueue(redact)
  const found: unknown[] = []
  for (let n = 0; n < 40; n++)
    queue.add(
      () => (n === 3 ? Promise.reject(new Error('no')) : { result: n }),
      (attributes) => found.push(attributes?.['gen_ai.tool.call.result'] ?? 'none'),
    )
  await queue.close()
  assert.equal(found.filter((one) => one === 'none').length, 9)
  assert.ok(found.includes('31') && !found.includes('32'))
})
