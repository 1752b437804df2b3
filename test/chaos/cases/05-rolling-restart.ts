import { createSend } from '#test/flows/platform/send.ts'
import type { RawAnswer, RawRequest, Send } from '#test/flows/platform/send.ts'
import { openBalancer } from '../balancer.ts'
import type { ChaosCase } from '../case.ts'
import { percentile, startOpenLoop } from '../open-loop.ts'
import { createRandom } from '../random.ts'
import { makeNamespace } from '../stage/probe.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { timed } from '../until.ts'

const perSecond = 100

/** A new version goes out: one BFF of a pair after the other ends in order and comes again. */
export const chaosCase: ChaosCase = {
  ids: ['X6'],
  title: `Rolling restarts of a pair of BFFs behind a TCP balancer at ${perSecond} requests/s on kept connections, reads and writes`,
  run: async (scope, { seed, short, count = short ? 2 : 50, whole }) => {
    const stage = await sharedStage(whole)
    const random = createRandom(seed)
    // The balancer learns of a failed readiness within 100 ms; a Service of a cluster needs longer, and more of this.
    const yaml = `${settings}drain:\n  delaySeconds: 1\n`
    const pair = await Promise.all(['bff-left', 'bff-right'].map((name) => stage.add(scope, name, 'bff', yaml)))
    const balancer = await openBalancer(scope, pair)
    const retried = { count: 0 }
    const send = againOnDeadConnection(createSend(scope, balancer.url), retried)
    const namespace = await makeNamespace(stage, 'rolling')
    const load = startOpenLoop(perSecond, (n) =>
      n % 4 === 0
        ? send({
            method: 'POST',
            path: '/api/templates',
            bearer: stage.bearer,
            body: {
              metadata: { namespace, name: `t-${n}` },
              spec: { title: 'T', template: { spec: { model: { route: 'mock' } } } },
            },
          })
        : send({ path: '/api/agents?namespace=demo', bearer: stage.bearer }),
    )
    scope.after(() => load.stop())
    const recoveryMs: number[] = []
    for (let fault = 0; fault < count; fault++) {
      const one = pair[fault % pair.length]
      if (one === undefined) break
      await random.instant(200, 800)
      await one.end('SIGTERM')
      one.start()
      recoveryMs.push(await timed(`${one.name} takes connections`, () => balancer.ready().includes(one.name)))
    }
    const samples = await load.stop()
    const failed = samples.filter(({ status }) => status !== 200 && status !== 201)
    const reasons = [...new Set(failed.map(({ status, error }) => error ?? String(status)))]
    return {
      faults: count,
      lost: failed.length,
      duplicated: 0,
      unaccounted: 0,
      recoveryMs,
      notes: [
        `${samples.length} requests, ${failed.length} not answered with success${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}; p99 ${percentile(
          samples.map(({ ms }) => ms),
          0.99,
        ).toFixed(0)} ms; ${retried.count} were sent again, since the kept connection had just been closed`,
      ],
    }
  },
}

// A kept connection may be closed just as a request is written; browsers, Go and nginx then send it again until it had a fresh one, and
// so does this. A write that had been made already would show as a conflict.
function againOnDeadConnection(send: Send, retried: { count: number }): Send {
  const attempt = async (request: RawRequest, left: number): Promise<RawAnswer> => {
    try {
      return await send(request)
    } catch (error) {
      if (left === 0 || !(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error
      retried.count++
      return attempt(request, left - 1)
    }
  }
  return (request) => attempt(request, 5)
}
