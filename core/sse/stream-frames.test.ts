import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { createSseParser } from './parser.ts'
import { createFrameSplitter, frameData, framesIn } from './stream-frames.ts'

const runs = Number(process.env.MESH_PROPERTY_RUNS ?? 300)

test('sse: frames have the data that the parser reads, however the bytes are split and lines end', () => {
  const field = fc.constantFrom(
    'data: a',
    'data:',
    'data:  b ',
    'data: größe 😀',
    ': ping',
    'event: x',
    'id: 1',
    'other',
    '',
  )
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(fc.tuple(field, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 }),
      fc.array(fc.nat(300), { maxLength: 12 }),
      (hasMark, lines, points) => {
        const bytes = Buffer.from(`${hasMark ? '\uFEFF' : ''}${lines.flat().join('')}`)
        const cuts = [...new Set(points.map((point) => point % (bytes.length + 1)))].toSorted((a, b) => a - b)
        const parsed: string[] = []
        const parser = createSseParser(({ data }) => parsed.push(data))
        const splitter = createFrameSplitter()
        const frames: string[] = []
        for (const [index, from] of [0, ...cuts].entries()) {
          // One buffer that is reused, as a reader of a file may do.
          const part = Buffer.from(bytes.subarray(from, cuts[index]))
          parser.push(part)
          for (const frame of framesIn(splitter.push(part))) frames.push(...[frameData(frame) ?? []].flat())
          part.fill(0)
        }
        assert.deepEqual(
          frames.map((data) => data.trimEnd()),
          parsed.map((data) => data.trimEnd()),
        )
      },
    ),
    { numRuns: runs },
  )
})

test('sse: whole frames are not copied, and a frame that has not ended is seen and taken once', () => {
  const splitter = createFrameSplitter()
  const whole = Buffer.from('data: a\n\ndata: b\n\n')
  assert.equal(splitter.push(whole), whole)
  assert.equal(splitter.push(Buffer.from('data: c\n')).length, 0)
  assert.equal(splitter.unfinished().toString(), 'data: c\n')
  assert.equal(splitter.push(Buffer.from('\ndata: d')).toString(), 'data: c\n\n')
  assert.equal(splitter.rest().toString(), 'data: d')
  assert.deepEqual([splitter.unfinished().length, splitter.rest().length], [0, 0])
})

test('sse: a frame that arrives byte by byte costs its bytes, not an object for each', () => {
  const splitter = createFrameSplitter()
  const bytes = Buffer.alloc(1_000, 'x')
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 500_000; count++) splitter.push(bytes.subarray(count % 999, (count % 999) + 1))
  assert.ok(process.memoryUsage().heapUsed - before < 16 * 1024 * 1024)
  assert.equal(splitter.unfinished().length, 500_000)
})
