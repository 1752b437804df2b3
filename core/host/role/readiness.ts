import { setTimeout as delay } from 'node:timers/promises'
import { sleep } from '#core/async/sleep.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { readinessMetrics } from './metrics.ts'

/** One line of `/readyz?verbose`. */
export interface CheckResult {
  readonly name: string
  readonly ok: boolean
  readonly reason?: string
}

/** Result of the readiness checks. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: readonly CheckResult[]
  /** Unavailable parts and the reason; they never make a process unready. */
  readonly notes: readonly string[]
}

/** Input of readiness. */
export interface ReadinessParts {
  /** Why the process itself cannot serve; undefined if it can. */
  readonly processReason: () => string | undefined
  /** Dependencies shared by replicas, by name; each throws its reason. */
  readonly dependencies: () => ReadonlyMap<string, () => Promise<void>>
  readonly notes: () => readonly string[]
  readonly log: Logger
  readonly metrics: Metrics
}

/** Readiness of a process. */
export interface ReadinessProbe {
  /**
   * `ready` is whether this process can serve any request. A dependency makes it unready only until its first success, which stops the
   * rollout of a wrong setting. A later outage is reported, but never removes all replicas from their Service.
   */
  read(options?: { verbose: boolean }): Promise<Readiness>
  /** Checks the dependencies regularly for metrics and log, until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>
}

const CHECK_DEADLINE_MS = 2_000
const WATCH_MS = 10_000

/** Creates the readiness of a process; no dependency has been reached yet. */
export function createReadiness(parts: ReadinessParts): ReadinessProbe {
  const available = parts.metrics.gauge(readinessMetrics.dependencyAvailable)
  const reached = new Set<string>()
  const away = new Set<string>()
  let running: Promise<readonly CheckResult[]> | undefined

  const note = ({ name, ok, reason }: CheckResult): void => {
    available.set(ok ? 1 : 0, { dependency: name })
    if (ok && away.delete(name)) parts.log.info({ dependency: name }, 'dependency available again')
    // Before the first success, the startup code reports what it waits for.
    if (!ok && reached.has(name) && !away.has(name)) {
      away.add(name)
      parts.log.warn({ dependency: name, reason }, 'dependency unavailable')
    }
    if (ok) reached.add(name)
  }
  // One round at a time, shared by concurrent probes.
  const check = (): Promise<readonly CheckResult[]> => {
    running ??= runChecks(parts.dependencies()).finally(() => (running = undefined))
    return running
  }
  const checked = async (): Promise<readonly CheckResult[]> => {
    const results = await check()
    for (const result of results) note(result)
    return results
  }
  const allReached = (): boolean => [...parts.dependencies().keys()].every((name) => reached.has(name))

  return {
    read: async ({ verbose } = { verbose: true }) => {
      const checks = verbose || !allReached() ? await checked() : []
      const reason = parts.processReason()
      const own = { name: 'process', ok: reason === undefined, ...(reason === undefined ? {} : { reason }) }
      return { ready: own.ok && allReached(), checks: [own, ...checks], notes: parts.notes() }
    },
    watch: async (signal) => {
      while (!signal.aborted) {
        await checked()
        await sleep(WATCH_MS, signal, { ref: false })
      }
    },
  }
}

async function runChecks(checks: ReadonlyMap<string, () => Promise<void>>): Promise<readonly CheckResult[]> {
  return Promise.all([...checks].map(([name, check]) => runCheck(name, check)))
}

async function runCheck(name: string, check: () => Promise<void>): Promise<CheckResult> {
  const stop = new AbortController()
  const late = delay(CHECK_DEADLINE_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no answer in ${CHECK_DEADLINE_MS / 1000} s`)
  })
  try {
    await Promise.race([check(), late])
    return { name, ok: true }
  } catch (error) {
    return { name, ok: false, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    stop.abort()
    late.catch(() => undefined)
  }
}

/** Body of `/readyz?verbose`, in the format of Kubernetes components. */
export function describeReadiness({ ready, checks, notes }: Readiness): string {
  const lines = checks.map(({ name, ok, reason }) =>
    ok ? `[+]${name} ok` : `[-]${name} failed: ${reason ?? 'unknown'}`,
  )
  return [
    ...lines,
    ...notes.map((note) => `[i]${note}`),
    ready ? 'readyz check passed' : 'readyz check failed',
    '',
  ].join('\n')
}
