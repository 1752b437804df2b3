import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { encodeComment, encodeFrame } from './frame.ts'
import { createSseParser } from './parser.ts'
import type { ParsedEvent } from './parser.ts'

const runs = Number(process.env.MESH_PROPERTY_RUNS ?? 300)

function parse(chunks: readonly Buffer[]): ParsedEvent[] {
  const events: ParsedEvent[] = []
  const parser = createSseParser((event) => events.push(event))
  for (const chunk of chunks) parser.push(chunk)
  return events
}

function cut(whole: Buffer, points: readonly number[]): Buffer[] {
  const at = [...new Set(points.map((point) => point % (whole.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.length))
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\r', ''))
const name = fc.stringMatching(/^[a-z.]{1,12}$/)

test('sse: encoded events are parsed again, however the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ event: name, data: text, id: name }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(2000), { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      (frames, points, lineEnd) => {
        const bytes = Buffer.from(
          frames.map((frame) => encodeFrame(frame).toString('utf8').replaceAll('\n', lineEnd)).join(''),
        )
        assert.deepEqual(
          parse(cut(bytes, points)).map(({ event, data, id }) => ({ event, data, id })),
          frames.map(({ event, data, id }) => ({ event, data: Buffer.from(data).toString('utf8'), id })),
        )
      },
    ),
    { numRuns: runs },
  )
})

test('sse: comments, unknown fields, a byte order mark and an unfinished event are no events', () => {
  const bytes = Buffer.concat([
    Buffer.from('\uFEFFdata: a\n'),
    Buffer.from('data:b\n\n'),
    encodeComment('still here\ndata: forged'),
    Buffer.from('what: ever\nretry: 12\n\ndata\n\ndata: cut'),
  ])
  assert.deepEqual(
    parse([bytes]).map(({ data }) => data),
    ['a\nb', ''],
  )
})

test('sse: a line break in an id or an event name forges no field', () => {
  const [event] = parse([encodeFrame({ event: 'a\ndata: x', id: '1\nevent: b', data: 'real' })])
  assert.deepEqual(event, { event: 'a data: x', id: '1 event: b', data: 'real' })
})

test('sse: the last id is kept, an id with NUL is ignored, a retry field is no event', () => {
  const bytes = Buffer.from('id: 1\ndata: a\n\ndata: b\n\nid: 2\0\ndata: c\n\nretry: 12\n\nid\ndata: d\n\n')
  assert.deepEqual(
    parse([bytes]).map(({ event, data, id }) => [event, data, id]),
    [
      ['message', 'a', '1'],
      ['message', 'b', '1'],
      ['message', 'c', '1'],
      ['message', 'd', ''],
    ],
  )
})

test('sse: a byte order mark, a CRLF and a character are whole again when each byte is a chunk of one reused buffer', () => {
  const whole = Buffer.from('\uFEFFdata: \uFEFFzwölf 🦔\r\n\r\ndata: b\r\n\r\n')
  const events: ParsedEvent[] = []
  const parser = createSseParser((event) => events.push(event))
  const pooled = Buffer.alloc(1)
  for (const byte of whole) {
    pooled[0] = byte
    parser.push(pooled)
  }
  assert.deepEqual(
    events.map(({ data }) => data),
    ['\uFEFFzwölf 🦔', 'b'],
  )
})

test('sse: an event above the limit is refused in the chunk that exceeds it', () => {
  const lines = ['x'.repeat(60), 'x'.repeat(60)].map((data) => Buffer.from(`data: ${data}\n`))
  const refused: Readonly<Record<string, readonly Buffer[]>> = {
    'one chunk': [Buffer.concat(lines)],
    'two chunks': lines,
    'one line without its end': [
      Buffer.from('data: '),
      ...Array.from({ length: 4 }, () => Buffer.from('x'.repeat(25))),
    ],
    'empty lines': [Buffer.from('data\n'.repeat(200))],
  }
  for (const [shape, chunks] of Object.entries(refused)) {
    const parser = createSseParser(() => assert.fail(shape), { maxEventSize: 100 })
    for (const chunk of chunks.slice(0, -1)) parser.push(chunk)
    assert.throws(() => parser.push(chunks.at(-1) ?? Buffer.alloc(0)), /event above 100 characters/, shape)
  }
  const own = createSseParser(() => undefined, { maxEventSize: 1, tooLarge: (limit) => new RangeError(`${limit}`) })
  assert.throws(() => own.push(Buffer.from('data: xy')), RangeError)
})

test('sse: comments and fields without an event do not count towards the limit', () => {
  const events: ParsedEvent[] = []
  const parser = createSseParser((event) => events.push(event), { maxEventSize: 100 })
  parser.push(Buffer.from(': '))
  for (let count = 0; count < 50; count++) parser.push(Buffer.from('still here '.repeat(10)))
  parser.push(Buffer.from(`\nwhat: ${'x'.repeat(1000)}\ndata: a\n\n`))
  assert.deepEqual(
    events.map(({ data }) => data),
    ['a'],
  )
})

test('sse: push throws an error of the handler unchanged', () => {
  const parser = createSseParser(() => {
    throw new RangeError('mine')
  })
  assert.throws(() => parser.push(Buffer.from('data: a\n\n')), { name: 'RangeError', message: 'mine' })
})
