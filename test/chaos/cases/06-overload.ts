import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSend } from '#test/flows/platform/send.ts'
import type { Send } from '#test/flows/platform/send.ts'
import type { ChaosCase } from '../case.ts'
import { percentile, sample } from '../open-loop.ts'
import type { Sample } from '../open-loop.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { until } from '../until.ts'

const capacity = 8

/** Ten times as many concurrent callers as are admitted. */
export const chaosCase: ChaosCase = {
  ids: ['X7'],
  title: `${10 * capacity} callers at once where ${capacity} are let in: 503 or 429 with Retry-After, and normal again at once`,
  counts: { short: 1, usual: 10, full: 10 },
  minutes: 1.5,
  run: async (scope, { short, count, whole }) => {
    const stage = await sharedStage(whole)
    const bff = await stage.add(scope, 'bff-full', 'bff', `${settings}  underWay: ${capacity}\n`)
    const send = createSend(scope, bff.url)
    const ask = () => send({ path: '/api/agents?namespace=demo', bearer: stage.bearer })
    const seconds = short ? 1 : 5
    await callers(capacity, seconds, ask)
    const normal = await callers(capacity, seconds, ask)
    const overloaded: Sample[] = []
    const recoveryMs: number[] = []
    for (let fault = 0; fault < count; fault++) {
      overloaded.push(...(await callers(10 * capacity, seconds, ask)))
      const ended = performance.now()
      await until('every caller is let in again', async () => {
        const found = await Promise.all(Array.from({ length: capacity }, () => sample(ask)))
        return found.every(({ status }) => status === 200)
      })
      recoveryMs.push(performance.now() - ended)
    }
    const accepted = overloaded.filter(({ status }) => status === 200)
    const refused = overloaded.filter(({ status }) => status === 503 || status === 429)
    const p99 = (of: readonly Sample[]): number =>
      percentile(
        of.map(({ ms }) => ms),
        0.99,
      )
    assert.ok(refused.length > 0, 'nothing was refused: no overload')
    assert.ok(Math.max(...recoveryMs) <= 5_000)
    return {
      faults: count,
      lost: overloaded.length - accepted.length - refused.length,
      duplicated: 0,
      unaccounted: refused.filter(({ retryAfter }) => !(Number(retryAfter) >= 1)).length,
      recoveryMs,
      notes: [
        `${accepted.length} accepted, ${refused.length} refused with Retry-After; p99 of the accepted ${p99(accepted).toFixed(0)} ms, normally ${p99(normal).toFixed(0)} ms (callers and BFF share the machine)`,
      ],
    }
  },
}

// Each caller sends its next request after its response. A refused one waits less than Retry-After demands.
async function callers(many: number, seconds: number, ask: () => ReturnType<Send>): Promise<readonly Sample[]> {
  const end = performance.now() + seconds * 1_000
  const samples = await Promise.all(
    Array.from({ length: many }, async () => {
      const own: Sample[] = []
      while (performance.now() < end) {
        const one = await sample(ask)
        own.push(one)
        if (one.status !== 200) await sleep(20)
      }
      return own
    }),
  )
  return samples.flat()
}
