import type { Core } from '#core/plugin/core-services.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import { auditMetrics } from './contract/metrics.ts'
import { dropExpiredDays } from './store/drop-expired-days.ts'
import { graceSeconds, sealDays } from './seal/seal-days.ts'
import { rotateKeyPartitions } from './store/key-partitions.ts'
import { sealedUntil } from './store/seals.ts'
import type { AuditTables } from './contract/tables.ts'

/** Period of sealing and retention, in ms. */
export const hourly = 3_600_000

/** Sealing and retention: the leader runs them at start and then hourly. Days outside the window are dropped, by the clock of the database. */
export function auditJobs(
  core: Pick<Core, 'store' | 'log' | 'metrics' | 'now'>,
  retentionDays: number,
  grace = graceSeconds,
): readonly Job[] {
  const { store, metrics, log } = core
  if (!store) return []
  const pruned = metrics.counter(auditMetrics.prunedRows)
  const failures = metrics.counter(auditMetrics.pruneFailures)
  const sealed = metrics.gauge(auditMetrics.sealedUntil)
  const lastSuccess = metrics.gauge(auditMetrics.pruneLastSuccess)
  const name = 'audit.retention'
  return [
    {
      name,
      leaderOnly: true,
      every: hourly,
      async run(term) {
        try {
          await sealDays({ store, log }, { name, epoch: term.epoch }, grace)
          sealed.set(await sealedUntil(store.reader<AuditTables>()))
          const dropped = await dropExpiredDays(store, { name, epoch: term.epoch }, retentionDays)
          await store.transact(async (tx) => {
            await assertEpoch(tx.tables(), name, term.epoch)
            await rotateKeyPartitions(tx.tables<AuditTables>())
          })
          for (const { day, rows, before, head } of dropped) {
            log.info({}, `mesh_audit_tombstone ${JSON.stringify({ day, rows, before, head })}`)
            pruned.inc({}, rows)
          }
          lastSuccess.set(core.now().getTime() / 1000)
        } catch (error) {
          failures.inc()
          log.error({ error: error instanceof Error ? error.name : 'unknown' }, 'audit retention failed')
        }
      },
    },
  ]
}
