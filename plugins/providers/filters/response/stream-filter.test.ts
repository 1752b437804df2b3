import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { encodeFrame } from '#core/sse/frame.ts'
import { createSseParser } from '#core/sse/parser.ts'
import { masking, openFilters } from '../testing/session-filters.ts'
import type { CallFilter, TextWindow } from '../../contract/model-filter.ts'
import { createStreamFilter } from './stream-filter.ts'

const numRuns = Number(process.env.MESH_PROPERTY_RUNS ?? 100)
const limit = 1024 * 1024
const done = '[DONE]'
const last = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'

const frame = (delta: object, more: object = {}): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta, ...more }] })
const bytesOf = (frames: readonly string[]): Buffer => Buffer.concat(frames.map((data) => encodeFrame({ data })))

function framesOf(bytes: Buffer): readonly string[] {
  const frames: string[] = []
  createSseParser(({ data }) => frames.push(data)).push(bytes)
  return frames
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Readonly<Record<string, unknown>> }[]
}

function textIn(frames: readonly string[], field = 'content'): string {
  const chunks = frames.filter((data) => data !== done).map((data) => JSON.parse(data) as Chunk)
  return chunks.map(({ choices }) => String(choices?.[0]?.delta?.[field] ?? '')).join('')
}

/** Passes the chunks one by one; resolves with what was released after each, and at the end. */
async function relay(hooks: readonly CallFilter[], chunks: readonly Buffer[]): Promise<readonly Buffer[]> {
  const stream = createStreamFilter(await openFilters(hooks), limit)
  const released: Buffer[] = []
  for (const chunk of chunks) {
    stream.push(chunk)
    released.push(await stream.take())
  }
  return [...released, await stream.end()]
}

function cut(text: string, points: readonly number[]): string[] {
  const isWhole = (at: number): boolean => text.slice(0, at).isWellFormed()
  const at = [...new Set(points.map((point) => point % (text.length + 1)))].filter(isWhole).sort((a, b) => a - b)
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length)).filter((piece) => piece !== '')
}

const texts = fc.array(fc.constantFrom('secret', 'sec', 'ret', ' ', 'x', '🦔', 'secretsecret'), { maxLength: 30 })
const points = fc.oneof(fc.array(fc.nat(400), { maxLength: 40 }), fc.array(fc.nat(400), { maxLength: 2 }))

test('a match is changed wherever frames split it, and only the look-back is held', async () => {
  const property = fc.asyncProperty(texts, points, fc.nat(20), async (words, at, extra) => {
    const text = words.join('')
    const pieces = cut(text, at)
    const chunks = pieces.map((content) => bytesOf([frame({ content })]))
    const lookBack = 6 + extra
    const pass: CallFilter = { text: { lookBack, check: () => undefined } }
    const held = await relay([pass], [...chunks, bytesOf([last, done])])
    let sent = 0
    let received = 0
    for (const [index, piece] of pieces.entries()) {
      sent += piece.length
      received += textIn(framesOf(held[index] ?? Buffer.alloc(0))).length
      const due = sent - lookBack
      // A half of a character is held too, and a frame of at most 64 characters is released as a whole.
      const whole = Math.max(...pieces.map(({ length }) => (length > 64 ? 0 : length)))
      assert.ok(received >= due - 1 - whole && received <= Math.max(due, 0), 'held the look-back')
    }
    const masked = await relay([{ text: masking(/secret/g, '[m]', lookBack) }], [...chunks, bytesOf([last, done])])
    const frames = framesOf(Buffer.concat(masked))
    assert.equal(textIn(frames), text.replaceAll('secret', '[m]'))
    assert.deepEqual(frames.slice(-2), [last, done])
    assert.equal(Buffer.concat(masked).includes('\\ud83e'), false, 'no half of a character')
  })
  await fc.assert(property, { numRuns })
})

test('each filter sees the text as it was released by the one before, in the reverse order of requests', async () => {
  const filters = [{ text: masking(/<1>/g, 'john', 3) }, { text: masking(/john/g, '<1>', 4) }]
  const chunks = ['say jo', 'hn and ', '<', '1', '>!'].map((content) => bytesOf([frame({ content })]))
  const there = await relay(filters, [...chunks, bytesOf([last])])
  assert.equal(textIn(framesOf(Buffer.concat(there))), 'say john and john!')
  const back = await relay(filters.toReversed(), [...chunks, bytesOf([last])])
  assert.equal(textIn(framesOf(Buffer.concat(back))), 'say <1> and <1>!')
})

test('frames of a stream keep number, order and bytes where nothing is changed', async () => {
  const frames = [
    frame({ role: 'assistant', content: '' }),
    frame({ reasoning_content: 'h' }),
    frame({ content: 'a' }),
    frame({ content: '' }),
    frame({ content: 'b', refusal: null }),
    frame({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{"a"' } }] }),
    frame({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    frame({}, { finish_reason: 'tool_calls' }),
    '{"choices":[],"usage":{"prompt_tokens":1}}',
    done,
  ]
  const seen: object[] = []
  const hooks = { text: { lookBack: 1, check: () => undefined }, toolCall: (call: object) => void seen.push(call) }
  const whole = bytesOf(frames)
  const bytes = [...whole].map((byte) => Buffer.from([byte]))
  for (const chunks of [[whole], bytes])
    assert.deepEqual(framesOf(Buffer.concat(await relay([hooks as CallFilter], chunks))), frames)
  const call = { choice: 0, id: 'c1', name: 'f', arguments: '{"a":1}' }
  assert.deepEqual(seen, [call, call])
})

test('nothing is written before the first content is released', async () => {
  const head = bytesOf(['{"choices":[]}', frame({ role: 'assistant', content: '' })])
  const released = await relay(
    [{ text: { lookBack: 3, check: () => undefined } }],
    [head, bytesOf([frame({ content: 'abc' })]), bytesOf([frame({ content: 'def' })])],
  )
  assert.deepEqual(
    released.map((bytes) => textIn(framesOf(bytes))),
    ['', '', 'abc', 'def'],
  )
  assert.deepEqual(
    released.map(({ length }) => length > 0),
    [false, false, true, true],
  )
})

test('a window has the end of what is released, and a step gathers new text', async () => {
  const windows: TextWindow[] = []
  const check = (window: TextWindow): undefined => void windows.push(window)
  const chunks = ['ab', 'cd', 'ef', 'g'].map((content) => bytesOf([frame({ content })]))
  await relay([{ text: { lookBack: 2, step: 4, check } }], [...chunks, bytesOf([last])])
  assert.deepEqual(
    windows.map(({ before, text, last: isLast }) => [before, text, isLast]),
    [
      ['', 'abcd', false],
      ['ab', 'cdefg', true],
    ],
  )
})

test('a text of another field ends the one before, and its filter remembers what was released', async () => {
  const windows: string[] = []
  const check = ({ field, before, text }: TextWindow): undefined => void windows.push(`${field}:${before}|${text}`)
  const deltas = [{ content: 'ab' }, { reasoning: 'x' }, { content: 'cd' }]
  const out = await relay(
    [{ text: { lookBack: 5, check } }],
    [...deltas.map((delta) => bytesOf([frame(delta)])), bytesOf([last])],
  )
  assert.deepEqual(windows, [
    'content:|ab',
    'content:|ab',
    'reasoning:|x',
    'reasoning:|x',
    'content:ab|cd',
    'content:ab|cd',
  ])
  assert.deepEqual(framesOf(Buffer.concat(out)), [...deltas.map((delta) => frame(delta)), last])
})

test('a changed tool call replaces the whole of its parts, also of other forms', async () => {
  const toolCall = () => ({ change: { name: 'safe', arguments: '{}' } })
  const frames = [
    frame({
      tool_calls: [
        { index: 0, id: 'a', function: { name: 'rm', arguments: '{"p' } },
        { index: 1, id: 'b', type: 'custom', custom: { name: 'sql', input: 'drop' } },
      ],
    }),
    frame({
      tool_calls: [
        { index: 0, function: { arguments: '":"/"}' } },
        { index: 1, custom: { input: ' table' } },
      ],
    }),
    frame({ function_call: { name: 'old', arguments: '{}' } }),
    last,
  ]
  const [first = '', second, third, end] = framesOf(Buffer.concat(await relay([{ toolCall }], [bytesOf(frames)])))
  assert.deepEqual(
    JSON.parse(first),
    JSON.parse(
      frame({
        tool_calls: [
          { index: 0, id: 'a', function: { name: 'safe', arguments: '{}' } },
          { index: 1, id: 'b', type: 'custom', custom: { name: 'safe', input: '{}' } },
        ],
      }),
    ),
  )
  assert.equal(
    second,
    frame({
      tool_calls: [
        { index: 0, function: { arguments: '' } },
        { index: 1, custom: { input: '' } },
      ],
    }),
  )
  assert.deepEqual([third, end], [frame({ function_call: { name: 'safe', arguments: '{}' } }), last])
})

test('what a filter of text cannot see is removed, and an unknown form ends the answer', async () => {
  const text = masking(/secret/g, '', 6)
  const logprobs = { content: [{ token: 'secret' }] }
  const extra = { audio: { transcript: 'secret' }, annotations: [{ title: 'secret' }], content: 'ok' }
  const out = await relay(
    [{ text }],
    [bytesOf([frame(extra, { logprobs, message: { content: 'secret' }, text: 'secret' })])],
  )
  assert.equal(Buffer.concat(out).includes('secret'), false)
  assert.equal(textIn(framesOf(Buffer.concat(out))), 'ok')
  const wrong = [
    'secret',
    '"secret"',
    '{"delta":"secret"}',
    '{"choices":{"delta":"secret"}}',
    '{"choices":["secret"]}',
    '{"choices":[{"delta":"secret"}]}',
    frame({ content: [{ type: 'text', text: 'secret' }] }),
    frame({ tool_calls: { name: 'secret' } }),
    frame({ tool_calls: [{ index: 0, function: { name: {} } }] }),
    JSON.stringify({ choices: Array.from({ length: 200 }, (_, index) => ({ index, delta: { content: 'x' } })) }),
    frame(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, 'x']))),
  ]
  for (const data of wrong)
    await assert.rejects(relay([{ text }], [bytesOf([data])]), { name: 'GatewayError', status: 502 }, data.slice(0, 60))
})

test('more held text than the limit ends the answer', async () => {
  const hold = { text: { lookBack: 65_536, check: () => undefined } }
  const small = createStreamFilter(await openFilters([hold]), 2_000)
  const push = async (): Promise<void> => {
    for (let count = 0; count < 100; count++) {
      small.push(bytesOf([frame({ content: 'x'.repeat(50) })]))
      await small.take()
    }
  }
  await assert.rejects(push(), { status: 502, message: /More than 2000 characters .*filterLimit/ })
  const one = createStreamFilter(await openFilters([hold]), 2_000)
  assert.throws(() => one.push(Buffer.from(`data: ${'x'.repeat(3_000)}`)), { status: 502 })
})

test('replacements out of order, out of range or without text fail the filter', async () => {
  const wrong: readonly unknown[] = [
    [{ start: 0, end: 9, text: '' }],
    [{ start: -1, end: 1, text: '' }],
    [{ start: 1, end: 0, text: '' }],
    [{ start: 0, end: 1 }],
    [
      { start: 1, end: 2, text: '' },
      { start: 0, end: 1, text: '' },
    ],
    [undefined],
    'secret',
    { start: 0.5, end: 1, text: '' },
  ]
  for (const change of wrong)
    await assert.rejects(
      relay([{ text: { lookBack: 0, check: () => ({ change }) as never } }], [bytesOf([frame({ content: 'abc' })])]),
      { name: 'GatewayError', status: 503, code: 'filter_failed' },
    )
})

test('an open filter that failed holds nothing back afterwards', async () => {
  const check = () => {
    throw new Error('boom')
  }
  const filters = await openFilters([{ text: { lookBack: 100, check } }], { onFailure: 'pass' })
  const stream = createStreamFilter(filters, limit)
  const released: string[] = []
  for (const content of ['a', 'b']) {
    stream.push(bytesOf([frame({ content })]))
    released.push(textIn(framesOf(await stream.take())))
  }
  assert.deepEqual(released, ['a', 'b'])
})
