import type { Store } from '#core/event-store/store.ts'
import type { AgentFact } from './agent-facts.ts'

/** Publishes transitions of an agent that were not published before. */
export type PublishFacts = (uid: string, facts: readonly AgentFact[]) => Promise<void>

// The key of an event is removed with the event, at the earliest after a day. An older transition was published by an earlier process.
const MAX_AGE_MS = 12 * 3_600_000

/** Number of agents whose latest transitions are remembered; those of others cost a statement. */
const MAX_AGENTS = 10_000

/** Creates the publisher. The store appends an id once, so a manager that ended between status and event publishes it at its next start. */
export function createPublishFacts(store: Pick<Store, 'transact'> | undefined, now: () => Date): PublishFacts {
  const published = new Map<string, ReadonlySet<string>>()
  return async (uid, facts) => {
    if (store === undefined) return
    const known = published.get(uid)
    const recent = facts.filter(({ id, time }) => known?.has(id) !== true && isRecent(time, now()))
    if (recent.length > 0) await store.transact((tx) => tx.append(`agents/${uid}`, 'any', recent))
    published.delete(uid)
    published.set(uid, new Set(facts.map(({ id }) => id)))
    const [oldest] = published.keys()
    if (published.size > MAX_AGENTS && oldest !== undefined) published.delete(oldest)
  }
}

function isRecent(time: Date, now: Date): boolean {
  return now.getTime() - time.getTime() < MAX_AGE_MS
}
