import type { Core } from '#core/plugin/core-services.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import { toUnknown } from './outcome-entry.ts'
import { takeAbandoned } from '../store/intents.ts'
import type { AuditTables } from '../contract/tables.ts'

const everyMinute = 60_000
// Longer than any handler, and longer than a restarted BFF needs to store its spool.
const abandonedAfterSeconds = 300

/** Turns intents that were never settled into errors of unknown reason (A2). A later outcome replaces them. */
export function intentJobs(core: Pick<Core, 'store' | 'log'>, afterSeconds = abandonedAfterSeconds): readonly Job[] {
  const { store, log } = core
  if (!store) return []
  const name = 'audit.intents'
  const reap = (epoch: bigint): Promise<number> =>
    store.transact(async (tx) => {
      await assertEpoch(tx.tables(), name, epoch)
      const abandoned = await takeAbandoned(tx.tables<AuditTables>(), afterSeconds)
      await tx.append('audit/outcomes', 'any', abandoned.map(toUnknown))
      return abandoned.length
    })
  return [
    {
      name,
      leaderOnly: true,
      every: everyMinute,
      async run({ epoch, signal }) {
        let found = 0
        for (let more = true; more && !signal.aborted;) {
          const taken = await reap(epoch)
          found += taken
          more = taken > 0
        }
        if (found > 0) log.warn({ intents: found }, 'intents without an outcome')
      },
    },
  ]
}
