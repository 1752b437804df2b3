import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { canonicalJson } from '#core/json/canonical-json.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import type { Circuits, RouteCircuits } from '../circuits/route-circuits.ts'
import type { ProvidersTables } from '../contract/tables.ts'
import { toTargetEntries } from '../status/target-entries.ts'
import { noteGateway } from '../store/gateway-rows.ts'

/** Reports of one gateway process. */
export interface TargetReports {
  /** Reports changes from now on with the identity of the gateway. */
  follow(cluster: Pick<KubeClient, 'patch'>): void
  close(): void
}

/** Times in milliseconds. */
export interface ReportBounds {
  /** Between two reports of a route. */
  readonly everyMs: number
  /** From a change to the first report. */
  readonly soonMs: number
  /** Between two signs of life, while something is reported. */
  readonly aliveMs: number
}

const defaults: ReportBounds = { everyMs: 10_000, soonMs: 500, aliveMs: 15_000 }

interface ReportedRoute {
  /** Monotonic time of the next report; undefined: nothing has changed. */
  dueAt: number | undefined
  lastAt: number
  /** Canonical JSON of what the API server has. */
  reported: string
}

type Parts = Pick<Core, 'store' | 'log'>

/**
 * Creates the reports: server-side apply of what has changed, under a field manager of this process (ADR 0283). Without a store nothing is reported,
 * since no manager could tell that this process has ended.
 */
export function createTargetReports(
  { store, log }: Parts,
  circuits: Circuits,
  bounds: ReportBounds = defaults,
): TargetReports {
  const gateway = nameOfProcess()
  const routes = new Map<string, ReportedRoute>()
  let cluster: Pick<KubeClient, 'patch'> | undefined
  let timer: NodeJS.Timeout | undefined
  let working = false
  let closed = false
  let aliveAt = -Infinity

  const schedule = (): void => {
    if (closed || working) return
    const due = [...routes.values()].flatMap(({ dueAt }) => dueAt ?? [])
    const reports = [...routes.values()].some(({ reported }) => reported !== '')
    const next = Math.min(...due, reports ? aliveAt + bounds.aliveMs : Infinity)
    clearTimeout(timer)
    if (next === Infinity) return
    timer = setTimeout(work, Math.max(0, next - performance.now())).unref()
  }
  const markChanged = (uid: string): void => {
    const now = performance.now()
    const known = routes.get(uid) ?? { dueAt: undefined, lastAt: -Infinity, reported: '' }
    if (known.dueAt !== undefined) return
    known.dueAt = Math.max(now + bounds.soonMs, known.lastAt + bounds.everyMs)
    routes.set(uid, known)
    schedule()
  }
  const reportDue = async (to: Pick<KubeClient, 'patch'>): Promise<void> => {
    for (const [uid, known] of routes) {
      if (closed || known.dueAt === undefined || known.dueAt > performance.now()) continue
      const seen = circuits.find(uid)
      if (seen === undefined) routes.delete(uid)
      else if (!(await report(to, seen, known))) routes.delete(uid)
    }
  }
  const report = async (to: Pick<KubeClient, 'patch'>, seen: RouteCircuits, known: ReportedRoute): Promise<boolean> => {
    const targets = toTargetEntries(gateway, seen)
    const content = canonicalJson(targets)
    // An open circuit becomes half-open without a call.
    const waits = seen.targets.map(({ circuit }) => circuit.waitMs()).filter((ms) => ms > 0)
    known.lastAt = performance.now()
    known.dueAt = waits.length === 0 ? undefined : known.lastAt + Math.max(bounds.everyMs, Math.min(...waits))
    if (content === known.reported) return true
    try {
      await apply(to, gateway, seen, targets)
      known.reported = content
      return true
    } catch (error) {
      // The route was deleted, or has a successor of the same name.
      if (isStatus(error, 404) || isStatus(error, 409)) return false
      known.dueAt = known.lastAt + bounds.everyMs
      log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'targets of a route not reported')
      return true
    }
  }
  // Before the first report, so that the manager knows whose entries these are.
  const showLife = async (): Promise<void> => {
    if (store === undefined || performance.now() - aliveAt < bounds.aliveMs) return
    const isNew = await store.transact((tx) => noteGateway(tx.tables<ProvidersTables>(), gateway))
    aliveAt = performance.now()
    if (!isNew) return
    // The manager has removed the entries of a process that was suspended for long.
    for (const known of routes.values()) {
      if (known.reported !== '') known.dueAt = aliveAt
      known.reported = ''
    }
  }
  const work = (): void => {
    const to = cluster
    if (to === undefined || working) return
    working = true
    showLife()
      .then(() => reportDue(to))
      .catch((error: unknown) => {
        aliveAt = performance.now()
        for (const known of routes.values())
          if (known.dueAt !== undefined) known.dueAt = performance.now() + bounds.everyMs
        log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'targets of routes not reported')
      })
      .finally(() => {
        working = false
        schedule()
      })
  }
  return {
    follow(client) {
      if (store === undefined || cluster !== undefined) return
      cluster = client
      circuits.onChange(markChanged)
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

// A successor in the same pod is another process, whose circuits are closed.
function nameOfProcess(): string {
  return `${hostname().slice(0, 63)}-${randomBytes(4).toString('hex')}`
}

async function apply(
  cluster: Pick<KubeClient, 'patch'>,
  gateway: string,
  { route: { namespace, name, uid } }: RouteCircuits,
  targets: readonly object[],
): Promise<void> {
  const ref = parseRef({ namespace, name })
  const body = { apiVersion: API_VERSION, kind: ModelRoute.kind, metadata: { ...ref, uid }, status: { targets } }
  const patch = { type: 'apply', body, force: true } as const
  await cluster.patch(ModelRoute, ref, patch, { subresource: 'status', fieldManager: `mesh-gateway-${gateway}` })
}
