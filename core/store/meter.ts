import type { Metrics } from '#core/telemetry/metrics.ts'
import { storeMetrics } from './metrics.ts'

/** What the store tells of its transactions; times are seconds. */
export interface StoreMeter {
  ended(outcome: 'committed' | 'failed', seconds: number): void
  retried(): void
  waitedForLock(seconds: number): void
}

/** A meter on the process's metrics; without them it does nothing. */
export function createStoreMeter(metrics: Metrics | undefined): StoreMeter {
  const transact = metrics?.histogram(storeMetrics.transactSeconds)
  const retries = metrics?.counter(storeMetrics.retries)
  const lock = metrics?.histogram(storeMetrics.appendLockSeconds)
  return {
    ended: (outcome, seconds) => transact?.observe(seconds, { outcome }),
    retried: () => retries?.inc(),
    waitedForLock: (seconds) => lock?.observe(seconds),
  }
}
