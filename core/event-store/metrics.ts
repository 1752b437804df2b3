import { quickSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'

/** The store. */
export const storeMetrics = {
  transactSeconds: defineHistogram({
    name: 'mesh_store_transact_seconds',
    help: 'Duration of a transaction including retries, by outcome: committed, failed.',
    labels: ['outcome'],
    roles: ['every'],
    buckets: quickSeconds,
  }),
  retries: defineCounter({
    name: 'mesh_store_transact_retries_total',
    help: 'Transactions retried after a deadlock or a serialization failure.',
    labels: [],
    roles: ['every'],
  }),
  appendLockSeconds: defineHistogram({
    name: 'mesh_store_append_lock_wait_seconds',
    help: 'Time a transaction waits for the lock under which positions are assigned.',
    labels: [],
    roles: ['every'],
    buckets: quickSeconds,
  }),
  connections: defineGauge({
    name: 'mesh_store_connections',
    help: 'Connections of the pool by state: in_use, idle; waiting counts callers without one.',
    labels: ['state'],
    roles: ['every'],
  }),
}

/** Metrics of transactions, in seconds. */
export interface StoreMeter {
  ended(outcome: 'committed' | 'failed', seconds: number): void
  retried(): void
  waitedForLock(seconds: number): void
}

/** Creates a meter on the process's metrics; without them it does nothing. */
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
