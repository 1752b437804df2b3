/** How a browser signs in. */
export type SignInWay = 'code' | 'token' | 'oidc'

/** Refusals of one way for one reason. */
export interface RefusedSignIns {
  readonly way: SignInWay
  readonly outcome: 'denied' | 'error'
  /** Code of the error table, or reason of the sign-in at the issuer: one of a few words, whatever the request contained. */
  readonly code: string
  /** Trace of the first one of them. */
  readonly traceparent: string
  readonly count: number
}

/** Counts refused sign-ins. */
export interface RefusalCounts {
  add(refused: Omit<RefusedSignIns, 'count'>): void
  /** Reports what is still counted. */
  close(): void
}

const REPORT_MS = 60_000

/**
 * Reports a refusal at once, and its repeats as one count a minute. A caller without a credential thus causes at most one event a minute for each
 * way and reason, however often it tries.
 */
export function createRefusalCounts(report: (refused: RefusedSignIns) => void, everyMs = REPORT_MS): RefusalCounts {
  // Those that were reported within the period; the count is of the ones since.
  let recent = new Map<string, RefusedSignIns>()
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    const repeated = [...recent].filter(([, { count }]) => count > 0)
    recent = new Map(repeated.map(([key, one]) => [key, { ...one, count: 0 }]))
    for (const [, one] of repeated) report(one)
    timer = repeated.length === 0 ? undefined : setTimeout(flush, everyMs).unref()
  }
  return {
    add: (refused) => {
      const key = JSON.stringify([refused.way, refused.outcome, refused.code])
      const before = recent.get(key)
      if (before === undefined) report({ ...refused, count: 1 })
      const since = before === undefined || before.count === 0 ? refused : before
      recent.set(key, { ...since, count: before === undefined ? 0 : before.count + 1 })
      timer ??= setTimeout(flush, everyMs).unref()
    },
    close: () => {
      clearTimeout(timer)
      flush()
      clearTimeout(timer)
    },
  }
}
