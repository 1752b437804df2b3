import type { Job } from '#core/jobs/background-work.ts'
import type { ManagerContext, WorkerContext } from '#core/plugin/role-contexts.ts'
import { removeExpired, removeOrphans } from './store/remove-items.ts'
import type { MemoryServices } from './services.ts'

const REMOVE_EVERY_MS = 60_000
const AT_ONCE = 500

/** Removes items of long-term memory that have expired, or whose agent is gone. */
export function memoryJobs({ core }: MemoryServices, context: WorkerContext | ManagerContext): readonly Job[] {
  if (context.role !== 'worker') return []
  return [
    {
      name: 'memory.remove-items',
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: async ({ signal }) => {
        for (const remove of [removeExpired, removeOrphans])
          for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;)
            count = await core.store.transact((tx) => remove(tx, AT_ONCE))
      },
    },
  ]
}
