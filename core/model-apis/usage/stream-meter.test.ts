import assert from 'node:assert/strict'
import test from 'node:test'
import { createStreamMeter } from './stream-meter.ts'
import type { StreamMeterOptions } from './stream-meter.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3 }
const chunk = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (content: string): string => chunk({ model: 'up-1', choices: [{ delta: { content } }], usage: null })
const only = (given: unknown, more = {}): string => chunk({ choices: [], usage: given, ...more })
const done = 'data: [DONE]\n\n'
const texts = ['one "usage" two', 'größe 😀', ' ', '"choices":[] [DONE]', 'end'].map(delta).join('')

const relayed: StreamMeterOptions = { api: 'chat', relays: 'bytes' }
const hidden: StreamMeterOptions = { api: 'chat', relays: 'events', hidesUsage: true }
const held: StreamMeterOptions = { ...hidden, holdsLast: true }

function meterOf(stream: string | readonly string[], options: StreamMeterOptions = hidden, size = Infinity) {
  const meter = createStreamMeter(options)
  const out: Buffer[] = []
  for (const part of [stream].flat()) {
    const bytes = Buffer.from(part)
    for (let at = 0; at < bytes.length; at += size) out.push(meter.pass(bytes.subarray(at, at + size)))
  }
  out.push(meter.end())
  const { inputTokens, outputTokens } = meter.usage() ?? {}
  return { meter, text: Buffer.concat(out).toString(), counts: [inputTokens, outputTokens] }
}

test('the event with the usage only is removed, however the stream is split, and other bytes are unchanged', () => {
  const stream = `${texts}${only(usage)}${done}`
  for (let size = 1; size <= Buffer.byteLength(stream); size++) {
    const { text, counts, meter } = meterOf(stream, hidden, size)
    assert.deepEqual([text, counts], [texts + done, [7, 3]], `chunks of ${size} bytes`)
    assert.equal(meterOf(stream, relayed, size).text, stream, `chunks of ${size} bytes`)
    const last = meterOf(stream, held, size)
    assert.deepEqual([last.text, last.meter.last().toString()], [texts, done])
    assert.equal(last.meter.seenTokens(), meter.seenTokens())
  }
})

test('whole events pass at once and without a copy, and bytes as they come', () => {
  const event = Buffer.from(delta('a'))
  for (const options of [relayed, hidden, held]) {
    const meter = createStreamMeter(options)
    for (let times = 0; times < 3; times++) assert.equal(meter.pass(event), event)
  }
  const part = Buffer.from(delta('b').slice(0, 50))
  assert.equal(createStreamMeter(relayed).pass(part), part)
  assert.equal(createStreamMeter(hidden).pass(part).length, 0)
})

test('events that are relayed keep comments, names and ids; their lines end with LF', () => {
  const odd = `: ping\n\nevent: x\nid: 1\n${delta('a')}data:b\n\n`
  assert.equal(meterOf(odd).text, odd)
  for (const end of ['\r\n', '\r']) {
    const stream = `${odd}${only(usage)}${done}`.replaceAll('\n', end)
    for (const size of [1, 2, 7, 1_000]) {
      assert.deepEqual([meterOf(stream, hidden, size).text, meterOf(stream, hidden, size).counts], [odd + done, [7, 3]])
      const bytes = meterOf(stream, relayed, size)
      assert.deepEqual([bytes.text, bytes.counts], [stream, [7, 3]])
    }
  }
})

test('usage is read wherever it is: first, far from the end, in several lines, behind a mark, without an end', () => {
  const streams = {
    first: only(usage) + delta('x'.repeat(40_000)) + done,
    'in several lines': `data: {"choices":[],\ndata: "usage":${JSON.stringify(usage)}}\n\n${done}`,
    'behind a byte order mark': `\uFEFF${only(usage)}${done}`,
    'without an end': `${texts}${only(usage).trimEnd()}`,
    'with spaces': `data:{ "choices" : [ ] ,\t"usage" : ${JSON.stringify(usage)} }\n\n${done}`,
    'of the last of several': only({ ...usage, completion_tokens: 1 }) + only(usage) + only(null) + done,
    'of the last with numbers': only(usage) + only({ ...usage, completion_tokens: '9' }) + done,
    'with choices': chunk({ choices: [{ delta: {}, finish_reason: 'stop' }], usage }) + done,
  }
  for (const [where, stream] of Object.entries(streams))
    for (const options of [relayed, hidden, held])
      assert.deepEqual(meterOf(stream, options).counts, [7, 3], `${where}, ${options.relays}`)
})

test('only the event that the caller did not ask for is removed', () => {
  const shown = [
    only(null),
    chunk({ choices: [], prompt_filter_results: [] }),
    chunk({ model: 'up-1', choices: [], prompt_filter_results: [], usage: null }),
    chunk({ choices: [{ delta: {} }], usage }),
    chunk({ choices: [{ delta: {} }], inner: { choices: [] }, usage }),
    only(usage, { error: { message: 'no' } }),
  ]
  for (const event of shown) assert.equal(meterOf(event).text, event)
  for (const given of [usage, {}, { prompt_tokens: '7' }, 7]) assert.equal(meterOf(only(given)).text, '')
  const wanted = `${texts}${only(usage)}${done}`
  assert.equal(meterOf(wanted, { ...held, hidesUsage: false }).text, texts + only(usage))
})

test('B3: counts that are no numbers are no usage, in both APIs', () => {
  for (const wrong of ['7', -1, 1.5, 2 ** 53, {}, [], true]) {
    assert.equal(meterOf(only({ ...usage, prompt_tokens: wrong })).meter.usage(), undefined, String(wrong))
    assert.equal(meterOf(only({ ...usage, completion_tokens: wrong })).meter.usage(), undefined, String(wrong))
    for (const name of ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'])
      assert.equal(messageOf(event('message_start', { message: { usage: { [name]: wrong } } }) + end).usage, undefined)
  }
})

test('the first name of a model counts that is not empty; a stream without one is not parsed', (t) => {
  assert.equal(meterOf(chunk({ model: '' }) + chunk({ model: 'a' }) + chunk({ model: 'b' })).meter.model(), 'a')
  assert.equal(meterOf(chunk({ model: '', choices: [], usage }) + chunk({ model: 'a' })).meter.model(), 'a')
  assert.equal(meterOf(chunk({ model: 7 }) + chunk({ model: null })).meter.model(), undefined)
  const parse = t.mock.method(JSON, 'parse')
  const nameless = chunk({ choices: [{ delta: { content: 'a' } }], usage: null }).replaceAll(':', ': ')
  assert.equal(meterOf([nameless, nameless]).text, nameless + nameless)
  assert.equal(parse.mock.callCount(), 0)
  assert.equal(meterOf([delta('a'), delta('b'), delta('c')]).meter.model(), 'up-1')
  assert.equal(parse.mock.callCount(), 1)
})

test('an error is an object or a text', () => {
  for (const error of [{ message: 'busy' }, 'busy']) assert.equal(meterOf(chunk({ error })).meter.failed(), true)
  for (const error of [null, '', false])
    assert.equal(meterOf(delta('"error"') + chunk({ error })).meter.failed(), false)
})

test('B3: what has no end counts, and is ended when events are relayed', () => {
  const cut = delta('and more than a token of text')
  const meter = createStreamMeter(hidden)
  meter.pass(Buffer.from(texts))
  const before = meter.seenTokens()
  meter.pass(Buffer.from(cut.slice(0, -5)))
  assert.equal(meter.seenTokens(), before + 10)
  assert.equal(meter.end().toString(), `${cut.slice(0, -5)}\n\n`)
  assert.equal(meter.seenTokens(), before + 10)
  assert.equal(meter.end().length, 0)
  assert.equal(meterOf('data: [DONE]\n', held).meter.last().toString(), done)
  assert.equal(meterOf('data: [DONE]', relayed).text, 'data: [DONE]')
})

test('an event above 16 MiB is refused, in whatever parts it arrives', () => {
  const part = Buffer.alloc(1024 * 1024, 'x')
  for (const options of [relayed, hidden]) {
    const meter = createStreamMeter(options)
    meter.pass(Buffer.from('data: '))
    for (let count = 0; count < 15; count++) meter.pass(part)
    assert.throws(() => meter.pass(part), /event above 16777216 bytes/)
  }
})

const event = (type: string, data: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const start = event('message_start', {
  message: { model: 'claude-1', usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 1 } },
})
const said = event('content_block_delta', { delta: { type: 'text_delta', text: 'message_stop "error"' } })
const end = event('message_delta', { usage: { input_tokens: null, output_tokens: 7 } })
const stop = event('message_stop')

function messageOf(stream: string, size = Infinity) {
  const bytes = meterOf(stream, { api: 'messages', relays: 'bytes' }, size)
  const events = meterOf(stream, { api: 'messages', relays: 'events', holdsLast: true }, size)
  assert.equal(bytes.text, stream)
  assert.deepEqual(events.counts, bytes.counts)
  const { meter, text } = events
  return { usage: meter.usage(), model: meter.model(), failed: meter.failed(), last: meter.last().toString(), text }
}

test('messages: usage and end are read, however the stream is split, and events pass as they are', () => {
  const stream = start + event('ping') + said + end + stop
  const counts = { inputTokens: 9, outputTokens: 7, cachedTokens: 4, reasoningTokens: 0 }
  const wanted = {
    usage: counts,
    model: 'claude-1',
    failed: false,
    last: stop,
    text: start + event('ping') + said + end,
  }
  for (let size = 1; size <= stream.length; size++) assert.deepEqual(messageOf(stream, size), wanted)
  assert.deepEqual(messageOf((start + said + end).trimEnd()).usage, counts)
  assert.equal(messageOf(start + said).usage, undefined, 'before the end')
})

test('messages: an error is no end; counts that are no numbers leave those before', () => {
  const error = event('error', { error: { type: 'overloaded_error', message: 'busy' } })
  const failed = messageOf(start + error)
  assert.deepEqual([failed.failed, failed.last, failed.usage], [true, '', undefined])
  const odd = event('message_delta', { usage: { output_tokens: 'many' } })
  assert.equal(messageOf(start + end + odd).usage?.outputTokens, 7)
  assert.equal(messageOf(start + odd + end).usage?.outputTokens, 7)
  assert.equal(messageOf(start + odd).usage, undefined)
})
