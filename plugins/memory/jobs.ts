import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { MemoryServices } from './services/create-services.ts'
import { createSessionMemory } from './session/session-memory.ts'
import { memoryMetrics } from './contract/metrics.ts'
import { readItemBytes } from './store/usage.ts'
import type { MemoryTables } from './contract/tables.ts'
import { erasePeople } from './store/erase-people.ts'
import { eraseConversations } from './store/erasures.ts'
import { removeExpired, removeOrphans } from './store/remove-items.ts'

const REMOVE_EVERY_MS = 60_000
const ERASE_EVERY_MS = 10_000
const ERASE_PEOPLE_EVERY_MS = 2_000
const AT_ONCE = 500

/**
 * Removes expired data, and data of deleted agents and erased people: items in the worker, conversations in the state role, the only role with access to their store.
 */
export function memoryJobs(services: MemoryServices, context: JobContext): readonly Job[] {
  if (context.role === 'worker') return [removeItems(services)]
  if (context.role !== 'state') return []
  const { stateStore } = context
  const people = erasePeopleJob(services, stateStore)
  return stateStore === undefined ? [people] : [removeConversations(services, stateStore), people]
}

function removeItems({ core }: MemoryServices): Job {
  const removed = core.metrics.counter(memoryMetrics.removed)
  const name = 'memory.remove-items'
  const stored = core.metrics.gauge(memoryMetrics.storedBytes)
  return {
    name,
    leaderOnly: true,
    every: REMOVE_EVERY_MS,
    run: async (term) => {
      for (const [reason, remove] of [['expired', removeExpired] as const, ['agent', removeOrphans] as const]) {
        const counted = (count: number): void => {
          if (count > 0) removed.inc({ reason }, count)
        }
        await removeInBatches({ store: core.store, job: name, batch: AT_ONCE, remove, removed: counted }, term)
      }
      stored.set(await readItemBytes(core.store.reader<MemoryTables>()))
    },
  }
}

function erasePeopleJob({ core, settings }: MemoryServices, stateStore: StateStore | undefined): Job {
  const session = stateStore && createSessionMemory(stateStore.lists, settings)
  return {
    name: 'memory.erase-people',
    leaderOnly: true,
    every: ERASE_PEOPLE_EVERY_MS,
    run: ({ signal }) => erasePeople(core.store, session, signal),
  }
}

function removeConversations({ core, settings }: MemoryServices, { lists }: StateStore): Job {
  const session = createSessionMemory(lists, settings)
  return {
    name: 'memory.remove-conversations',
    leaderOnly: true,
    every: ERASE_EVERY_MS,
    run: ({ signal }) => eraseConversations(core.store, session, signal),
  }
}
