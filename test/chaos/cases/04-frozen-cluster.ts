import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSend } from '#test/flows/platform/send.ts'
import type { KubePart } from '#test/harness/kube.ts'
import type { ChaosCase } from '../case.ts'
import { percentile, sample, startOpenLoop } from '../open-loop.ts'
import type { Sample } from '../open-loop.ts'
import { untilHealthy } from '../stage/faults.ts'
import type { RoleProcess } from '../stage/role.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { until } from '../until.ts'

const perSecond = 200

/** The API server or etcd stops responding while requests continue. */
export const chaosCase: ChaosCase = {
  ids: ['K4'],
  title: `API server and etcd frozen for longer than the deadline of a call under ${perSecond} requests/s: 504 in the deadline or 503 at once, then as before`,
  counts: { short: 1, usual: 6, full: 6 },
  minutes: 3,
  run: async (scope, { short, count, whole }) => {
    const stage = await sharedStage(whole)
    // All requests to the frozen cluster are admitted: the case tests deadlines; overload is X7.
    const deadlineMs = short ? 2_000 : 10_000
    const frozenMs = deadlineMs + 2_000
    const yaml = `${settings}  underWay: 10000\ncluster:\n  deadlineSeconds: ${deadlineMs / 1_000}\n`
    const bff = await stage.add(scope, 'bff-frozen', 'bff', yaml)
    scope.after(() => stage.kube.thaw())
    const send = createSend(scope, bff.url)
    const list = () => send({ path: '/api/agents?namespace=demo', bearer: stage.bearer })
    const all: Sample[] = []
    const recoveryMs: number[] = []
    const lag: number[] = []
    const heap: number[] = []
    const isQuiet = !short && (loadavg()[0] ?? 0) < availableParallelism()
    for (let fault = 0; fault < count; fault++) {
      const part: KubePart = fault % 2 === 0 ? 'apiserver' : 'etcd'
      const load = startOpenLoop(perSecond, list, short ? 64 : undefined)
      heap.push(await leastHeap(bff, short ? 1 : 3))
      const beat = watchLag(bff)
      stage.kube.freeze(part)
      const from = performance.now()
      await sleep(frozenMs)
      stage.kube.thaw()
      const thawed = performance.now()
      lag.push(...(await beat.stop()))
      await until('requests succeed again', async () => (await sample(list)).status === 200)
      recoveryMs.push(performance.now() - thawed)
      all.push(...(await load.stop()).filter(({ at }) => at > from && at < thawed - deadlineMs))
      await untilHealthy(stage)
    }
    const late = all.filter((one) => one.ms > deadlineMs + 500)
    const answers = Object.entries(Object.groupBy(all, ({ status }) => status)).map(
      ([status, of]) => `${of?.length} x ${status}`,
    )
    // On a machine that is busy otherwise (in the short form with other cases), the figure is not the platform's.
    const lagP99 = percentile(lag, 0.99)
    if (isQuiet) assert.ok(lagP99 < 100, `the event loop was ${lagP99} ms late`)
    const longest = recoveryMs.toSorted((a, b) => b - a)[0] ?? 0
    // The requests of a whole deadline are answered first, which takes as long as the machine needs for them.
    if (!short) assert.ok(longest <= 5_000, `recovered after ${longest} ms`)
    // The first freeze opens what a process keeps (sockets, compiled code). Each later one must leave the heap unchanged.
    const [, settled = 0, ...later] = heap
    for (const after of later) assert.ok(after <= settled * 1.1, `memory was ${settled} MiB and became ${after} MiB`)
    return {
      faults: count,
      lost: all.filter((one) => !isHonest(one)).length,
      duplicated: 0,
      unaccounted: short ? 0 : late.length,
      recoveryMs,
      notes: [
        `deadline ${deadlineMs / 1_000} s, requests sent when it was frozen for longer than that: ${answers.join(', ')}; p99 ${figure(
          all.map((one) => one.ms),
          0.99,
        )}, ${late.length} after the deadline + 0.5 s`,
        `event loop while frozen, by its own /livez: p50 ${figure(lag, 0.5)}, p99 ${lagP99.toFixed(0)} ms`,
        `heap and buffers before each freeze: ${heap.map((one) => `${one.toFixed(0)} MiB`).join(', ')}`,
      ],
    }
  },
}

// Requests that could only queue behind many others are refused immediately, with Retry-After.
function isHonest({ status, retryAfter }: Sample): boolean {
  return status === 200 || status === 504 || (status === 503 && retryAfter !== undefined)
}

// Measured under the same load, with requests in progress; the minimum of a few samples.
async function leastHeap(bff: RoleProcess, looks: number): Promise<number> {
  let least = Infinity
  for (let look = 0; look < looks; look++) {
    await sleep(1_000)
    least = Math.min(least, await bff.liveHeap())
  }
  return least
}

interface Beat {
  stop(): Promise<readonly number[]>
}

// A request without dependencies waits only for the event loop, and for this process's share of the machine.
function watchLag(bff: RoleProcess): Beat {
  const loop = startOpenLoop(20, () => bff.livez())
  return { stop: async () => (await loop.stop()).map((one) => one.ms) }
}

function figure(values: readonly number[], at: number): string {
  return `${percentile(values, at).toFixed(0)} ms`
}
