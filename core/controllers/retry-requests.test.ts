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
  assert.equal(made.length - retries.length, agents * requestsOfAttempt, 'no bucket of attempts was given')
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

test('R2-CL-5: first attempts and changes stand under a bucket, and a stop does not wait for it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  const perSecond = 20
  const burst = 100
  const concurrency = 4
  const count = 60
  let made = 0
  const queue = createWorkQueue({
    concurrency,
    bucket: createTokenBucket({ perSecond: 20, burst: 100 }, () => now),
    attempts: createTokenBucket({ perSecond, burst }, () => now),
    onError: () => undefined,
    work: async () => {
      for (let n = 0; n < requestsOfAttempt; n += 1) noteRequest()
      made += requestsOfAttempt
      return {}
    },
  })
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 1_000; n += 1) await Promise.resolve()
  }
  const addAll = (): void => {
    for (let n = 0; n < count; n += 1) queue.add(`agent-${n}`, true)
  }
  addAll()
  const mostAt = (second: number): number => burst + perSecond * second + concurrency * requestsOfAttempt
  for (let second = 0; queue.depth > 0; second += 1) {
    await settle()
    assert.ok(made <= mostAt(second), `${made} requests after ${second} s`)
    assert.ok(second < 60, 'it goes on')
    now += 1_000
    t.mock.timers.tick(1_000)
  }
  await settle()
  assert.equal(made, count * requestsOfAttempt, 'each agent was reconciled once')
  addAll()
  await settle()
  assert.ok(queue.depth > 0, 'changes wait, too')
  await queue.stop()
})

test('R2-CL-5: an attempt that makes no request takes no token and does not wait', async () => {
  const reserved: number[] = []
  let made = 0
  const queue = createWorkQueue({
    concurrency: 4,
    attempts: { reserve: (count = 1) => reserved.push(count) * 3_600_000 },
    onError: () => undefined,
    work: async () => {
      made += 1
      return {}
    },
  })
  for (let n = 0; n < 10_000; n += 1) queue.add(`agent-${n}`)
  while (queue.depth > 0) await new Promise<void>((resolve) => setImmediate(resolve))
  await queue.stop()
  assert.deepEqual([made, reserved], [10_000, []])
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
