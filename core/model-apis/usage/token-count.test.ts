import assert from 'node:assert/strict'
import test from 'node:test'
import { createStreamMeter } from './stream-meter.ts'
import { estimateTokens } from './token-count.ts'

function frame(text: string, end = '\n'): string {
  const data = JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ delta: { content: text } }] })
  return `data: ${data}${end}${end}`
}

function countOf(stream: string, size = stream.length): number {
  const meter = createStreamMeter({ api: 'chat', relays: 'bytes' })
  const bytes = Buffer.from(stream)
  for (let at = 0; at < bytes.length; at += size) meter.pass(bytes.subarray(at, at + size))
  return meter.seenTokens()
}

test('B3: a frame is a token, and longer ones are text of three bytes per token', () => {
  assert.equal(countOf(''), 0)
  assert.equal(countOf(frame('Hi.')), 1)
  assert.equal(countOf(frame('Hi.').repeat(3)), 3)
  assert.equal(countOf(frame('Hi.') + frame(`Hi.${'x'.repeat(30)}`)), 12)
})

test('comments and the end of a stream are no tokens', () => {
  assert.equal(countOf(': ping\n\ndata: [DONE]\n\n'), 0)
  assert.equal(countOf(`: ping\n\n${frame('Hi.')}data: [DONE]\n\n`), 1)
})

test('the division of a stream changes nothing, and CRLF and CR end lines as LF does', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    assert.equal(countOf(frame('H', end).repeat(3)), 3)
    const frames = ['one', 'größe 😀 and more', 'three'].map((text) => frame(text, end))
    const stream = `event: a${end}${frames.join(`: ping${end}${end}`)}`
    const whole = countOf(stream)
    assert.ok(whole > 3, String(whole))
    for (let size = 1; size <= stream.length; size++)
      assert.equal(countOf(stream, size), whole, `chunks of ${size} bytes`)
  }
})

test('frames that arrive at once count as one after the other', () => {
  const frames = ['Hi.', 'x'.repeat(90), ' '].map((text) => frame(text))
  assert.equal(estimateTokens(frames.join(': ping\n\n')), 32)
  assert.equal(estimateTokens(''), 0)
})

test('a frame that is cut, or never ends, counts with what has arrived', () => {
  const one = frame('Hi.')
  assert.equal(countOf(one + one.slice(0, -2)), 2)
  assert.equal(countOf(one.slice(0, 60)), 1)
  const endless = countOf(one + `data: ${'x'.repeat(300_000)}`, 1_000)
  assert.ok(endless > 90_000 && endless < 110_000, String(endless))
})

test('R2-N5: text is counted in frames that are alike, and in fields that are not known', () => {
  const text = 'x'.repeat(90)
  assert.equal(countOf(frame(text).repeat(20)), 600)
  const event = (delta: object): string =>
    `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta })}\n\n`
  assert.equal(countOf(event({ type: 'text_delta', text }).repeat(20)), 600)
  assert.equal(countOf(event({ type: 'input_json_delta', partial_json: text }).repeat(2)), 60)
  assert.equal(countOf(frame('"'.repeat(45))), 30, 'as the stream escapes it')
  const odd = `data: ${JSON.stringify({ choices: [{ delta: { odd: 'x'.repeat(3_400) } }] })}\n\n`
  const one = countOf(odd)
  assert.ok(one > 1_000 && one < 1_040, String(one))
  assert.equal(countOf(odd.repeat(20)), one * 20)
  const long = frame('x'.repeat(300_000))
  assert.ok(countOf(long) >= 99_800, 'a frame beyond what is read')
})
