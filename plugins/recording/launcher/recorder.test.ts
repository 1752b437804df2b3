import assert from 'node:assert/strict'
import test from 'node:test'
import { mergeFixture, parsePart } from '#plugins/recording/contract/format/merge.ts'
import type { FixturePart } from '#schemas/runs/fixture.ts'
import { createLog } from '#launcher/telemetry/log.ts'
import type { ReceivedResponse } from '#schemas/wire/read-response.ts'
import type { StateCall } from '#launcher/contract/state/state-client.ts'
import { createRecorder } from './recorder.ts'
import type { RecorderOptions } from './recorder.ts'

const runId = '019a0000-0000-7000-8000-000000000001'
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const started = {
  runId,
  call: { channel: 'tool', request: { server: 'a/b', name: 'n', tool: 't', arguments: {} } },
  requestBytes: 10,
  traceparent,
  parentSpanId: undefined,
} as const
const answered = { kind: 'value', body: {}, size: 2 } as const

/** A recorder whose parts a test answers, one status after the other; the last one repeats. */
function record(statuses: readonly (number | undefined)[], some: Partial<RecorderOptions> = {}) {
  const sent: FixturePart[] = []
  const outcomes: string[] = []
  const state = async ({ json }: StateCall): Promise<ReceivedResponse> => {
    const status = statuses[Math.min(sent.length, statuses.length - 1)]
    const part = parsePart(JSON.parse(String(json)))
    assert.ok(part !== undefined, String(json))
    sent.push(part)
    if (status === undefined) throw new Error('no connection')
    return { status, headers: {}, bytes: Buffer.alloc(0) }
  }
  const onPart = (outcome: string): void => void outcomes.push(outcome)
  const log = createLog('error')
  const options = { state, log, redact: [], onPart, retryMs: 1, closeMs: 60_000, ...some }
  const recorder = createRecorder(options)
  const done = Promise.withResolvers<{ readonly state: 'succeeded' }>()
  recorder.follow({ runId, epoch: 1, done: done.promise, stopped: Promise.resolve() })
  const end = async (): Promise<void> => {
    done.resolve({ state: 'succeeded' })
    await done.promise
    await new Promise((resolve) => setImmediate(resolve))
    await recorder.close()
  }
  return { recorder, sent, outcomes, end, merged: () => mergeFixture(runId, sent) }
}

test('parts are sent once, in the order of their end, and the end of the attempt has their number', async () => {
  const { recorder, sent, outcomes, end, merged } = record([204])
  const calls = [1, 2, 3].map(() => recorder.begin(started))
  for (const call of calls.toReversed()) call?.end(answered)
  calls[0]?.end({ kind: 'aborted' })
  await end()
  assert.deepEqual(
    sent.map((part) => (part.channel === 'end' ? part.calls.tool : part.ordinal)),
    [3, 2, 1, 3],
  )
  assert.deepEqual([merged().complete, outcomes], [true, ['stored', 'stored', 'stored', 'stored']])
  assert.equal(recorder.begin(started), undefined, 'the attempt has ended')
})

test('F6: above its memory and its queue calls are dropped and counted, and the recording names the gaps', async () => {
  const { recorder, outcomes, end, merged } = record([204], { maxBytes: 25, maxParts: 100 })
  const open = [1, 2, 3].map(() => recorder.begin(started))
  assert.equal(open[2], undefined)
  open[0]?.end(answered)
  open[1]?.end(answered)
  await end()
  assert.deepEqual(
    merged().problems.map(({ code, channel }) => [code, channel]),
    [['missing', 'tool']],
  )
  assert.deepEqual(outcomes.toSorted(), ['dropped', 'stored', 'stored', 'stored'])

  const held = record([204], { maxParts: 1 })
  for (let call = 0; call < 4; call++) held.recorder.begin(started)?.end(answered)
  await held.end()
  assert.ok(held.outcomes.filter((outcome) => outcome === 'dropped').length >= 2, held.outcomes.join())
  assert.equal(held.merged().complete, false)
})

test('memory of a call that was sent is free again', async () => {
  const { recorder, sent, end, merged } = record([204], { maxBytes: 10 })
  for (let call = 0; call < 20; call++) {
    recorder.begin(started)?.end(answered)
    while (sent.length <= call) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await end()
  assert.equal(merged().complete, true)
})

test('a part is tried twice; a refusal ends the recording of the run, but for its end', async () => {
  const lost = record([undefined, 503, undefined, 204])
  for (let call = 0; call < 2; call++) lost.recorder.begin(started)?.end(answered)
  await lost.end()
  assert.deepEqual(lost.outcomes, ['failed', 'stored', 'stored'])
  for (const status of [429, 404, 501, 413]) {
    const { recorder, outcomes, end, merged, sent } = record([status, 204])
    recorder.begin(started)?.end(answered)
    while (outcomes.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(recorder.begin(started), undefined)
    await end()
    assert.deepEqual([outcomes, sent.length], [['refused', 'dropped', 'stored'], 2], String(status))
    assert.deepEqual(
      merged().problems.map(({ code }) => code),
      ['missing'],
    )
  }
})

test('a launcher that ends does not wait for a state role that is frozen', async () => {
  const { promise, resolve } = Promise.withResolvers<never>()
  const { recorder, outcomes } = record([204], {
    closeMs: 1,
    state: async ({ signal }) => {
      if (signal?.aborted === true) resolve(undefined as never)
      signal?.addEventListener('abort', () => resolve(undefined as never))
      return promise
    },
  })
  for (let call = 0; call < 3; call++) recorder.begin(started)?.end(answered)
  await recorder.close()
  assert.deepEqual(outcomes.toSorted(), ['dropped', 'dropped', 'failed'])
})
