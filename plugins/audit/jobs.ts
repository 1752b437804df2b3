import type { Core } from '#core/host/core.ts'
import type { Job } from '#core/host/work.ts'
import { assertEpoch } from '#core/store/leadership.ts'
import { auditMetrics } from './metrics.ts'
import { pruneBefore } from './store/days.ts'
import type { AuditTables } from './store/tables.ts'

const hourly = 3_600_000

/** Retention: at start and then hourly, by the leader; rows older than the window go, by the database's clock. */
export function auditJobs(
  core: Pick<Core, 'store' | 'log' | 'metrics' | 'now'>,
  retentionDays: number,
): readonly Job[] {
  const { store, metrics, log } = core
  if (!store) return []
  const pruned = metrics.counter(auditMetrics.prunedRows)
  const failures = metrics.counter(auditMetrics.pruneFailures)
  const lastSuccess = metrics.gauge(auditMetrics.pruneLastSuccess)
  const name = 'audit.retention'
  return [
    {
      name,
      role: 'manager',
      leaderOnly: true,
      every: hourly,
      async run(term) {
        try {
          const rows = await store.transact<unknown, number>(async (tx) => {
            await assertEpoch(tx, name, term.epoch)
            return pruneBefore(tx.db.withTables<AuditTables>(), retentionDays)
          })
          pruned.inc({}, rows)
          lastSuccess.set(core.now().getTime() / 1000)
        } catch (error) {
          failures.inc()
          log.error({ error: error instanceof Error ? error.name : 'unknown' }, 'audit retention failed')
        }
      },
    },
  ]
}
