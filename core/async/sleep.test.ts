import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { backoffMs, exponentialMs } from './backoff.ts'
import { sleep } from './sleep.ts'

test('a sleep ends early when its signal aborts, and at once when it has aborted', async () => {
  const stop = new AbortController()
  const sleeping = sleep(60_000, stop.signal)
  stop.abort()
  await sleeping
  await sleep(60_000, stop.signal)
})

test('a sleep lasts its milliseconds, without a signal too', async () => {
  const started = performance.now()
  await sleep(20)
  assert.ok(performance.now() - started >= 19)
})

test('with ref: false the process may end during a sleep', () => {
  const module = JSON.stringify(new URL('sleep.ts', import.meta.url).href)
  const program = `const { sleep } = await import(${module}); void sleep(60_000, undefined, { ref: false })`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 30_000 })
  assert.equal(status, 0)
})

test('back-off doubles with each failure up to the longest delay, and half of it is jitter', () => {
  const bounds = { minMs: 100, maxMs: 5_000 }
  assert.deepEqual(
    [0, 1, 2, 5, 6, 1_000].map((failures) => exponentialMs(failures, bounds)),
    [100, 200, 400, 3_200, 5_000, 5_000],
  )
  assert.equal(
    backoffMs(3, bounds, () => 0),
    400,
  )
  assert.equal(
    backoffMs(3, bounds, () => 1),
    800,
  )
})
