import assert from 'node:assert/strict'
import test from 'node:test'
import { createTokenBucket } from '#core/async/token-bucket.ts'
import { countRequests, noteRequest } from '#core/async/request-count.ts'
import { createWorkQueue } from './work-queue.ts'

const agents = 764
/** Requests of one attempt, which `reconcile-agent.test.ts` counts in the audit log. */
const requestsOfAttempt = 13

test('R2-CL-5: 764 refused agents cost at most 20 requests a second, and fewer after a quarter of an hour', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const made: number[] = []
  const queue = createWorkQueue({
    concurrency: 4,
    bucket: createTokenBucket({ perSecond: 20, burst: 100 }, () => now),
    onError: () => undefined,
    work: async () => {
      for (let n = 0; n < requestsOfAttempt; n += 1) {
        noteRequest()
        made.push(now)
      }
      return { retryAfterMs: 2_000 }
    },
  })
  for (let n = 0; n < agents; n += 1) queue.add(`agent-${n}`)
  const seconds = 7_200
  for (let second = 0; second < seconds; second += 1) {
    for (let n = 0; n < 50 || queue.depth > 0; n += 1) await Promise.resolve()
    now += 1_000
    t.mock.timers.tick(1_000)
  }
  await queue.stop()
  const retries = made.filter((at) => at > 0)
  assert.equal(made.length - retries.length, agents * requestsOfAttempt, 'the first attempts do not wait')
  const within = (from: number, to: number): number =>
    retries.filter((at) => at >= from * 1_000 && at < to * 1_000).length
  for (let from = 0; from < seconds; from += 60)
    assert.ok(
      within(from, from + 60) <= 100 + 20 * 61 + requestsOfAttempt,
      `${within(from, from + 60)} requests from ${from} s on`,
    )
  const perSecond = within(5_400, seconds) / 1_800
  assert.ok(perSecond > 1 && perSecond < 16, `${perSecond} requests a second in the last half hour`)
  console.log(
    `${agents} agents, ${requestsOfAttempt} requests each: ${perSecond.toFixed(1)} requests a second in the last half hour`,
  )
})

test('R2-CL-5: requests are counted per work, also of a failed one, and none outside', async () => {
  const counts: number[] = []
  const spent = (requests: number): void => void counts.push(requests)
  noteRequest()
  await Promise.all([
    countRequests(async () => {
      noteRequest()
      await Promise.resolve()
      noteRequest()
    }, spent),
    assert.rejects(
      countRequests(async () => {
        noteRequest()
        throw new Error('refused')
      }, spent),
    ),
    countRequests(async () => undefined, spent),
  ])
  assert.deepEqual(counts.toSorted(), [0, 1, 2])
})
