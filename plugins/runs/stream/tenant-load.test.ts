import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { needs } from '#test/harness/find-server.ts'
import { startEventFeed } from '#plugins/integrations/testing/event-feed.ts'

const free = Type.Object({}, { additionalProperties: true })

/** Answered lists of the tenant at full load. */
let answered = 0

/** A list of a namespace: one access review at the API server. */
const list = endpoint({
  method: 'GET',
  url: '/plain/:ns',
  summary: 'Lists.',
  authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
  response: { 200: free },
  handle: async ({ caller }) => {
    if (caller.username === 'developer') answered++
    return { items: [] }
  },
})

interface Measured {
  /** Milliseconds of a request. */
  readonly p95: number
  /** Requests of the other tenant answered in between: the order of work, independent of the load of the machine. */
  readonly between: number
  readonly statuses: ReadonlySet<number>
}

const p95Of = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0

test(
  'SEC5, F4: a tenant at full load causes no failed request of another',
  needs('etcd', 'kube-apiserver', 'kubectl'),
  async (t) => {
    const ended = Promise.withResolvers<void>()
    const wait = endpoint({
      method: 'GET',
      url: '/waits/:ns',
      summary: 'Waits as an invoke does.',
      authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
      waits: true,
      response: { 200: free },
      handle: async () => {
        await ended.promise
        return {}
      },
    })
    const { url, bearer, namespace, other } = await startEventFeed(t, [list, wait])
    t.after(() => ended.resolve())
    const load = new AbortController()
    const ask = async (who: string, path: string, signal?: AbortSignal): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer(who)}` }
      const answer = await fetch(`${url}/api${path}`, { headers, ...(signal === undefined ? {} : { signal }) })
      await answer.text()
      return answer.status
    }
    // From its arrival at the server: what the client waits before is a matter of the machine, not of the order of work.
    let arrived = 0
    const note = (message: unknown): void => {
      const { request } = message as { readonly request: IncomingMessage }
      if (request.url === `/api/plain/${other}`) arrived = answered
    }
    subscribe('http.server.request.start', note)
    t.after(() => unsubscribe('http.server.request.start', note))
    const measure = async (count: number): Promise<Measured> => {
      const [times, between, statuses] = [[] as number[], [] as number[], new Set<number>()]
      for (let n = 0; n < count; n++) {
        const started = performance.now()
        statuses.add(await ask('other-tenant', `/plain/${other}`))
        times.push(performance.now() - started)
        between.push(answered - arrived)
      }
      return { p95: p95Of(times), between: p95Of(between), statuses }
    }
    await measure(20)
    const alone = await measure(100)
    // Twice what one user may have of each.
    const refused = { lists: 0, waits: 0, streams: 0 }
    const count = (kind: keyof typeof refused, status: number): void => {
      if (status === 429) refused[kind]++
      else assert.ok(status === 200 || load.signal.aborted, `${kind}: ${status}`)
    }
    const keep = async (kind: keyof typeof refused, path: string): Promise<void> => {
      while (!load.signal.aborted) {
        const status = await ask('developer', path, load.signal).catch(() => 200)
        count(kind, status)
        // As required by Retry-After; a tenant that ignores it is limited by its requests per minute.
        if (status === 429) await sleep(1_000, undefined, { signal: load.signal }).catch(() => undefined)
      }
    }
    const flood = [
      ...Array.from({ length: 64 }, () => keep('lists', `/plain/${namespace}`)),
      ...Array.from({ length: 100 }, () => keep('waits', `/waits/${namespace}`)),
      ...Array.from({ length: 100 }, () => keep('streams', `/events?namespace=${namespace}`)),
    ]
    while (Object.values(refused).includes(0)) await sleep(20)
    const full = await measure(50)
    load.abort()
    ended.resolve()
    await Promise.all(flood)
    t.diagnostic(
      `p95 alone ${alone.p95.toFixed(1)} ms, beside a full tenant ${full.p95.toFixed(1)} ms; ` +
        `${full.between} of its lists answered during one; refused ${JSON.stringify(refused)}`,
    )
    // In order of arrival it would be the 32 concurrent lists of the other tenant.
    assert.ok(full.between <= 12, `${full.between} lists of the other tenant during one request`)
    assert.deepEqual([...alone.statuses, ...full.statuses], [200, 200])
  },
)
