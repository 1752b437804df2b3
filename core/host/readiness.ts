import { setTimeout as delay } from 'node:timers/promises'

/** One line of `/readyz?verbose`. */
export interface CheckResult {
  readonly name: string
  readonly ok: boolean
  readonly reason?: string
}

/** Readiness as it was found. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: readonly CheckResult[]
  /** What is not wired, and why; it never makes a process unready. */
  readonly notes: readonly string[]
}

const CHECK_DEADLINE_MS = 2_000

/** Asks every check at once, each for at most two seconds. */
export async function runChecks(checks: ReadonlyMap<string, () => Promise<void>>): Promise<readonly CheckResult[]> {
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

/** The body of `/readyz?verbose`, in the manner of Kubernetes' components. */
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
