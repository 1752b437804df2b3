import assert from 'node:assert/strict'
import test from 'node:test'
import type { Job } from './background-work.ts'
import { checkJob } from './check-job.ts'
import { InvalidCron, parseCron } from './cron.ts'

const at = (text: string): Date => new Date(`${text}Z`)

test('cron: ticks are in UTC unless a time zone is given, on both sides of a time', () => {
  const daily = parseCron('30 2 * * *')
  assert.deepEqual(daily.next(at('2026-03-28T02:30')), at('2026-03-29T02:30'))
  assert.deepEqual(daily.latest(at('2026-03-28T02:30')), at('2026-03-28T02:30'))
  assert.deepEqual(daily.latest(at('2026-03-28T02:29:59.999')), at('2026-03-27T02:30'))
  assert.deepEqual(parseCron('@hourly').next(at('2026-03-28T02:30')), at('2026-03-28T03:00'))
})

test('cron: a fixed time runs once on each day of a time zone with daylight saving', () => {
  const berlin = parseCron('30 2 * * *', 'Europe/Berlin')
  // 02:30 does not exist on 29 March, and occurs twice on 25 October.
  assert.deepEqual(berlin.next(at('2026-03-28T12:00')), at('2026-03-29T01:00'))
  assert.deepEqual(berlin.next(at('2026-10-24T12:00')), at('2026-10-25T00:30'))
  assert.deepEqual(berlin.next(at('2026-10-25T00:30')), at('2026-10-26T01:30'))
})

test('cron: an expression or time zone that cannot be used is refused with the reason', () => {
  for (const [expression, reason] of [
    ['', /five fields/],
    ['x', /invalid configuration/],
    ['60 * * * *', /minute: 60/],
    ['0 0 1 1 * 2020', /requires exactly 5 parts/],
    ['? * * * *', /five fields/],
    ['* * * * *\0', /five fields/],
    [`${'1,'.repeat(500)}1 * * * *`, /at most 200 characters/],
    ['0 0 30 2 *', /no time in the future/],
    [5 as unknown as string, /five fields/],
  ] as const)
    assert.throws(() => parseCron(expression), { name: 'InvalidCron', message: reason }, expression)
  for (const zone of ['', 'Nope/X', '\ud800', null as unknown as string])
    assert.throws(() => parseCron('@daily', zone), InvalidCron, JSON.stringify(zone))
})

test('jobs: a declaration that cannot be run is refused with job and field', () => {
  const job = { name: 'acme.report', leaderOnly: true, run: async () => undefined }
  const refused = (more: object, message: RegExp): void =>
    assert.throws(() => checkJob({ ...job, ...more } as Job), message, JSON.stringify(more))
  checkJob({ ...job, cron: '0 3 * * *', timezone: 'Europe/Berlin' })
  checkJob({ ...job, every: 1000 })
  checkJob(job)
  refused({ cron: '0 3 * *' }, /^TypeError: job acme.report: cron "0 3 \* \*"/)
  refused({ cron: '@daily', every: 5 }, /every and cron are mutually exclusive/)
  refused({ timezone: 'UTC' }, /timezone is for cron/)
  for (const every of [0, -1, 1.5, Number.NaN, 2 ** 31, '5']) refused({ every }, /every must be 1 to/)
  refused({ leaderOnly: undefined }, /leaderOnly must be true or false/)
  refused({ run: 'x' }, /run must be a function/)
  for (const name of ['', 'Acme', 'a\0', 'x'.repeat(101), 5]) refused({ name }, /a job needs a name/)
})
