import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { Job, JobTerm } from '#core/jobs/background-work.ts'
import { createJobTicks } from '#core/tasks/cron-ticks.ts'
import type { JobTicks } from '#core/tasks/cron-ticks.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { runJobs } from './job-runner.ts'

type Run = (term: JobTerm) => Promise<void>

/** Replicas of one installation: each is started at a time of its own clock, which stands still. */
function replicas(ticks: JobTicks | undefined) {
  const log = createLogger({ destination: { write: () => undefined } })
  const start = (job: Job, clock: string) => {
    const stop = new AbortController()
    const platform = { ticks, lead: async (_: string, work: Run, signal: AbortSignal) => work({ epoch: 1n, signal }) }
    const running = runJobs({
      jobs: [job],
      platform,
      log,
      now: () => new Date(`2026-01-01T${clock}Z`),
      signal: stop.signal,
    })
    return {
      stop: async () => {
        stop.abort()
        await running.done
      },
    }
  }
  return { start }
}

/** A job that records its ticks, and a promise of the next one. */
function hourly(run: Run = async () => undefined, leaderOnly = true) {
  const ticks: string[] = []
  let ran = Promise.withResolvers<void>()
  const job: Job = {
    name: 'acme.report',
    leaderOnly,
    cron: '0 * * * *',
    async run(term) {
      ticks.push(term.tick?.toISOString().slice(11, 16) ?? 'none')
      await run(term).finally(() => {
        ran.resolve()
        ran = Promise.withResolvers()
      })
    },
  }
  return { job, ticks, next: () => ran.promise }
}

for (const adapter of adapters) {
  const check = (name: string, run: (t: TestContext, ticks: JobTicks) => Promise<void>): void =>
    void test(`${adapter.name}: cron jobs: ${name}`, { skip: adapter.skip }, async (t) =>
      run(t, createJobTicks(await adapter.open(t))),
    )

  check('ticks missed while no replica ran are one execution, with the latest', async (_, stored) => {
    const { job, ticks, next } = hourly()
    const { start } = replicas(stored)
    await (await begun(start(job, '02:30:00'), stored)).stop()
    assert.deepEqual(ticks, [], 'a new job waits for its first tick')
    const ran = next()
    const later = start(job, '05:10:00')
    await ran
    await recorded(stored, '05:00')
    await later.stop()
    assert.deepEqual(ticks, ['05:00'])
  })

  check('a tick is executed once, also by a new leader whose clock is behind', async (_, stored) => {
    const { job, ticks } = hourly()
    const { start } = replicas(stored)
    await stored.record(job.name, new Date('2026-01-01T05:00Z'))
    for (const clock of ['05:00:30', '04:59:00', '05:59:59']) await (await begun(start(job, clock), stored)).stop()
    assert.deepEqual(ticks, [])
  })

  check('a failed or interrupted execution is repeated, a recorded one is not', async (_, stored) => {
    let failures = 1
    const first = hourly(async () => {
      if (failures-- > 0) throw new Error('not yet')
    })
    const { start } = replicas(stored)
    await stored.record(first.job.name, new Date('2026-01-01T02:00Z'))
    const failing = start(first.job, '03:10:00')
    await recorded(stored, '03:00')
    await failing.stop()
    assert.deepEqual(first.ticks, ['03:00', '03:00'])
    // Returns early without an error, as loops over batches do.
    const second = hourly(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())))
    const interrupted = start(second.job, '04:10:00')
    while (second.ticks.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await interrupted.stop()
    assert.deepEqual(await stored.read(first.job.name, new Date()), new Date('2026-01-01T03:00Z'))
  })
}

test('cron jobs: without a leader or a store nothing is made up for', async () => {
  for (const leaderOnly of [true, false]) {
    const { job, ticks } = hourly(undefined, leaderOnly)
    const one = replicas(undefined).start(job, '05:10:00')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await one.stop()
    assert.deepEqual(ticks, [])
  }
})

// The runner has read its last tick once another read is answered after it.
async function begun<T>(replica: T, ticks: JobTicks): Promise<T> {
  await ticks.read('acme.report', new Date('2026-01-01T02:30:00Z'))
  await new Promise((resolve) => setTimeout(resolve, 30))
  return replica
}

async function recorded(ticks: JobTicks, time: string): Promise<void> {
  const wanted = new Date(`2026-01-01T${time}Z`).getTime()
  const end = performance.now() + 60_000
  while ((await ticks.read('acme.report', new Date(0))).getTime() !== wanted) {
    assert.ok(performance.now() < end, `the tick ${time} is not recorded`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
