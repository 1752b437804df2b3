import { createSend, NoAnswer } from '#test/flows/platform/send.ts'
import type { RawRequest, Send } from '#test/flows/platform/send.ts'
import { openBalancer } from '../balancer.ts'
import type { ChaosCase } from '../case.ts'
import { percentile, startOpenLoop } from '../open-loop.ts'
import { createRandom } from '../random.ts'
import { makeNamespace } from '../stage/probe.ts'
import type { RoleProcess } from '../stage/role.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { timed } from '../until.ts'

/** Rolls out a new version: two of four BFFs stop in order and restart, then the other two. */
export const chaosCase: ChaosCase = {
  ids: ['X6'],
  title:
    'Rolling restarts of BFFs, two of four at a time, behind a TCP balancer at 500 requests/s on kept connections, reads and writes',
  counts: { short: 2, usual: 10, full: 50 },
  minutes: 2.5,
  run: async (scope, { seed, short, count, whole }) => {
    const stage = await sharedStage(whole)
    const random = createRandom(seed)
    // The balancer detects a failed readiness within 100 ms; a Service of a cluster needs longer. Node's client closes a connection a
    // second before its announced timeout, so this is the shortest delay that works.
    const yaml = `${settings}drain:\n  delaySeconds: 2\n`
    const names = short ? ['bff-left', 'bff-right'] : ['bff-a', 'bff-b', 'bff-c', 'bff-d']
    const all = await Promise.all(names.map((name) => stage.add(scope, name, 'bff', yaml)))
    const balancer = await openBalancer(scope, all)
    const again = { count: 0 }
    const send = asClientsSend(createSend(scope, balancer.url), again)
    const namespace = await makeNamespace(stage, 'rolling')
    // The short form shares two cores with other tests.
    const perSecond = short ? 100 : 500
    const request = (n: number) => send(requestOf(n, { namespace, bearer: stage.bearer, perSecond }))
    const load = startOpenLoop(perSecond, request, short ? 32 : undefined)
    scope.after(() => load.stop())
    const started = performance.now()
    const restart = async (one: RoleProcess): Promise<number> => {
      await random.instant(200, 800)
      balancer.leaves(one.name)
      await one.end('SIGTERM')
      one.start()
      return timed(`${one.name} takes connections`, () => balancer.ready().includes(one.name))
    }
    const recoveryMs: number[] = []
    const half = all.length / 2
    for (let done = 0; done < count; done += half) {
      const from = done % all.length
      recoveryMs.push(...(await Promise.all(all.slice(from, from + half).map(restart))))
    }
    const seconds = (performance.now() - started) / 1_000
    const samples = await load.stop()
    const failed = samples.filter(({ status }) => status !== 200 && status !== 201)
    const reasons = Object.entries(Object.groupBy(failed, ({ status, error }) => error ?? String(status))).map(
      ([reason, of]) => `${of?.length} x ${reason}`,
    )
    return {
      faults: recoveryMs.length,
      lost: failed.length,
      duplicated: 0,
      unaccounted: 0,
      recoveryMs,
      notes: [
        `${samples.length} requests (${(samples.length / seconds).toFixed(0)}/s of ${perSecond}/s wanted), ${failed.length} not answered with success${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}; p99 ${percentile(
          samples.map(({ ms }) => ms),
          0.99,
        ).toFixed(0)} ms; ${again.count} reads were sent again, since the kept connection had just been closed`,
      ],
    }
  },
}

// 25 writes and 75 lists a second; two cores leave no capacity of the API server for more.
function requestOf(
  n: number,
  { namespace, bearer, perSecond }: Readonly<Record<'namespace' | 'bearer', string>> & { readonly perSecond: number },
): RawRequest {
  const turn = n % (perSecond / 25)
  if (turn > 3) return { path: '/api/health', bearer }
  if (turn > 0) return { path: '/api/agents?namespace=demo', bearer }
  const spec = { title: 'T', template: { spec: { model: { route: 'mock' } } } }
  return { method: 'POST', path: '/api/templates', bearer, body: { metadata: { namespace, name: `t-${n}` }, spec } }
}

// As RFC 9112 (9.3.1) permits a client: retries only if a kept-alive connection closed before the first byte, and the request is idempotent
// or was not sent. A lost write, or a new connection that is refused or reset, counts as a lost request.
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
