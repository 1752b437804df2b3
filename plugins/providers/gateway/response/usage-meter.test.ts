import assert from 'node:assert/strict'
import test from 'node:test'
import { encodeFrame } from '#core/sse/frame.ts'
import { meterAndHide, meterTail, meterWhole } from './usage-meter.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3 }
const delta = (content: string) => ({ choices: [{ delta: { content } }], usage: null })
const texts = ['one "usage" two', 'größe 😀', ' ', 'end'].map((text) => JSON.stringify(delta(text)))
const last = JSON.stringify({ choices: [], usage })
const stream = Buffer.concat([...texts, last, '[DONE]'].map((data) => encodeFrame({ data })))
const shown = Buffer.concat([...texts, '[DONE]'].map((data) => encodeFrame({ data }))).toString()

test('the chunk with usage is removed, however the stream is split, and other bytes are unchanged', () => {
  for (let size = 1; size <= stream.length; size++) {
    const meter = meterAndHide()
    const out: Buffer[] = []
    for (let at = 0; at < stream.length; at += size) out.push(meter.pass(stream.subarray(at, at + size)))
    assert.equal(Buffer.concat(out).toString(), shown, `chunks of ${size} bytes`)
    assert.deepEqual([meter.counted().inputTokens, meter.counted().outputTokens], [7, 3])
  }
})

test('whole frames pass without a copy; comments, names and other line ends are normalised', () => {
  const meter = meterAndHide()
  const frame = encodeFrame({ data: texts[0] ?? '' })
  assert.equal(meter.pass(frame), frame)
  const odd = `: ping\n\nevent: x\nid: 1\ndata: a\n\ndata:b\r\n\r\n`
  assert.equal(meter.pass(Buffer.from(odd)).toString(), 'data: a\n\ndata: b\n\n')
  assert.equal(meter.pass(frame).toString(), frame.toString())
  const filtered = encodeFrame({ data: '{"choices":[],"usage":null}' })
  assert.equal(meterAndHide().pass(filtered).length, 0)
})

test('the usage at the end of a long stream is found, whatever the size of its chunks', () => {
  const long = Buffer.concat([Buffer.from(`data: "${'x'.repeat(40_000)}"\n\n`), stream])
  for (const size of [10, 1_000, 20_000, long.length]) {
    const meter = meterTail()
    for (let at = 0; at < long.length; at += size) {
      const chunk = long.subarray(at, at + size)
      assert.equal(meter.pass(chunk), chunk)
    }
    assert.deepEqual([meter.counted().inputTokens, meter.counted().usageReported], [7, true], String(size))
  }
})

test('B3: a provider whose counts are no numbers has reported no usage, so that its call is not free', () => {
  const reported = (given: unknown): boolean => {
    const meter = meterWhole()
    meter.pass(Buffer.from(JSON.stringify({ choices: [], usage: given })))
    return meter.counted().usageReported
  }
  assert.equal(reported(usage), true)
  for (const given of [{ ...usage, prompt_tokens: '7' }, { total_tokens: 10 }, null])
    assert.equal(reported(given), false)
})
