import { createSend, NoAnswer } from '#test/flows/platform/send.ts'
import type { RawRequest, Send } from '#test/flows/platform/send.ts'
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
    // The balancer learns of a failed readiness within 100 ms; a Service of a cluster needs longer. Node's client leaves a connection a
    // second before the time that it is told, so this is the least that it can keep to.
    const yaml = `${settings}drain:\n  delaySeconds: 2\n`
    const pair = await Promise.all(['bff-left', 'bff-right'].map((name) => stage.add(scope, name, 'bff', yaml)))
    const balancer = await openBalancer(scope, pair)
    const again = { count: 0 }
    const send = asClientsSend(createSend(scope, balancer.url), again)
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
    const reasons = Object.entries(Object.groupBy(failed, ({ status, error }) => error ?? String(status))).map(
      ([reason, of]) => `${of?.length} x ${reason}`,
    )
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
        ).toFixed(0)} ms; ${again.count} reads were sent again, since the kept connection had just been closed`,
      ],
    }
  },
}

// As RFC 9112 (9.3.1) lets a client: again only when a kept connection ended before any byte of the answer, and the request may be
// repeated or never left. A write that got lost, or a fresh connection that is refused or reset, is a lost request.
function asClientsSend(send: Send, again: { count: number }): Send {
  return async (request) => {
    for (;;)
      try {
        return await send(request)
      } catch (error) {
        if (!(error instanceof NoAnswer) || !mayRepeat(request, error)) throw error
        again.count++
      }
  }
}

function mayRepeat({ method = 'GET' }: RawRequest, { kept, answered, written }: NoAnswer): boolean {
  return kept && !answered && (method === 'GET' || !written)
}
