import assert from 'node:assert/strict'
import { setImmediate as settled } from 'node:timers/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createLog } from '../telemetry/log.ts'
import { keepCertified } from './keep-certified.ts'

const minute = 60

/** A state role, two clocks that a test moves, and what the launcher logged. Times are in seconds since its start. */
function setUp(t: TestContext, state: { away: boolean; hangs?: boolean } = { away: false }) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = { wall: Date.UTC(2026, 10, 24), monotonic: 5_000 }
  const asked: number[] = []
  const received: string[] = []
  const lines: string[] = []
  const note = (_fields: object, message: string): void => void lines.push(message)
  const certified = keepCertified({
    request: async () => {
      asked.push((clock.monotonic - 5_000) / 1000)
      if (state.hangs === true) return new Promise(() => undefined)
      if (state.away) throw new Error('connect ECONNREFUSED')
      return `certificate-${asked.length}`
    },
    onCertificate: (certificate) => void received.push(certificate),
    log: { ...createLog('error'), info: note, warn: note },
    clocks: { wall: () => clock.wall, monotonic: () => clock.monotonic },
  })
  t.after(certified.close)
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.wall += 1000
      clock.monotonic += 1000
      t.mock.timers.tick(1000)
      await settled()
    }
  }
  return { certified, clock, asked, received, lines, state, pass }
}

const pausesOf = (times: readonly number[]): number[] => times.slice(1).map((at, index) => at - (times[index] ?? 0))

test('R2-N3: a certificate is renewed when about half of its time is over', async (t) => {
  const { certified, asked, received, pass } = setUp(t)
  await settled()
  assert.equal(certified.current(), 'certificate-1')
  await pass(0.9 * 7.5 * minute - 1)
  assert.equal(asked.length, 1, 'not before')
  await pass(0.1 * 7.5 * minute + 2)
  assert.equal(certified.current(), 'certificate-2')
  await pass(60 * minute)
  const pauses = pausesOf(asked)
  assert.ok(pauses.length >= 8)
  for (const pause of pauses) assert.ok(pause >= 405 && pause <= 451, `renewed after ${pause} s`)
  assert.deepEqual(
    received,
    asked.map((_, index) => `certificate-${index + 1}`),
  )
})

test('R2-N3: launchers that start at once do not renew at once', async (t) => {
  const times = new Set<number>()
  for (let launcher = 0; launcher < 20; launcher++)
    await t.test(`launcher ${launcher}`, async (sub) => {
      const { asked, pass } = setUp(sub)
      await pass(7.5 * minute + 1)
      times.add(asked[1] ?? 0)
    })
  assert.ok(times.size > 5, `${times.size} seconds of 45`)
})

test('R2-N3: a state role that is away at the start is asked again after 1 to 15 seconds', async (t) => {
  const { certified, asked, received, lines, state, pass } = setUp(t, { away: true })
  await settled()
  await pass(2 * minute)
  assert.deepEqual(pausesOf(asked).slice(0, 6), [1, 2, 4, 8, 15, 15])
  assert.deepEqual([certified.current(), received], [undefined, []])
  assert.deepEqual(new Set(lines), new Set(['no valid certificate: the launcher is not ready']))
  state.away = false
  await pass(15)
  assert.match(certified.current() ?? '', /^certificate-/)
  assert.equal(lines.at(-1), 'certificate received')
})

test('R2-N3: a state role that is away at a renewal costs nothing until the certificate expires', async (t) => {
  const { certified, lines, state, pass } = setUp(t)
  await settled()
  state.away = true
  await pass(15 * minute - 1)
  assert.equal(certified.current(), 'certificate-1')
  assert.deepEqual(new Set(lines), new Set(['certificate not renewed']))
  await pass(1)
  assert.equal(certified.current(), undefined)
  await pass(60 * minute)
  assert.equal(certified.current(), undefined)
  assert.equal(lines.at(-1), 'no valid certificate: the launcher is not ready')
  state.away = false
  await pass(15)
  assert.match(certified.current() ?? '', /^certificate-/)
})

test('R2-N3: a request without a response is not repeated beside it, and its certificate expires, too', async (t) => {
  const { certified, asked, state, pass } = setUp(t)
  await settled()
  state.hangs = true
  await pass(15 * minute)
  assert.deepEqual([asked.length, certified.current()], [2, undefined])
})

test('R2-N3: a machine that slept renews at once, and a clock that goes back keeps no certificate alive', async (t) => {
  const { certified, clock, asked, state, pass } = setUp(t)
  await settled()
  clock.wall += 60 * minute * 1000
  assert.equal(certified.current(), undefined, 'the monotonic clock stood still')
  await pass(1)
  assert.deepEqual([asked.length, certified.current()], [2, 'certificate-2'])
  state.away = true
  clock.wall -= 24 * 60 * minute * 1000
  await pass(15 * minute)
  assert.equal(certified.current(), undefined)
  state.away = false
  await pass(16)
  assert.match(certified.current() ?? '', /^certificate-/)
})

test('R2-N3: a closed launcher asks no more', async (t) => {
  const { certified, asked, pass } = setUp(t)
  await settled()
  certified.close()
  await pass(60 * minute)
  assert.equal(asked.length, 1)
})
