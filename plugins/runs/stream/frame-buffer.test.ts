import assert from 'node:assert/strict'
import test from 'node:test'
import { createFrameBuffer } from './frame-buffer.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

const frameOf = (seq: number, text: string): LiveFrame => ({
  v: 1,
  seq,
  runId: 'r',
  ts: '2026-01-01T00:00:00.000Z',
  kind: 'tool.finished',
  agent: 'robot',
  path: [],
  spanId: '',
  data: { text },
})

test('F6: the buffer of a stream that is not read holds at most 4 MiB and 1,000 frames, the newest', async () => {
  const buffer = createFrameBuffer(new AbortController().signal)
  for (let seq = 1; seq <= 100; seq++) buffer.put(frameOf(seq, 'x'.repeat(256 * 1024)))
  const large = await buffer.take(0)
  assert.deepEqual([large.length, large.at(-1)?.seq], [15, 100])
  for (let seq = 1; seq <= 1500; seq++) buffer.put(frameOf(seq, 'x'))
  const small = await buffer.take(0)
  assert.deepEqual([small.length, small[0]?.seq, small.at(-1)?.seq], [1000, 501, 1500])
  buffer.put(frameOf(1, 'x'))
  assert.equal((await buffer.take(0)).length, 1, 'returned frames no longer count')
})
