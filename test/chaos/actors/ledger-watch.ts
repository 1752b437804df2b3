import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#core/database/database.ts'

/** Money and places of the agents of a case, in micro-units. */
export interface LedgerState {
  readonly spent: bigint
  readonly held: bigint
  readonly inFlight: number
}

/** The sums of owners; undefined while the database does not respond. */
export async function readLedger(database: Database, owner: string): Promise<LedgerState> {
  const { rows } = await sql<LedgerState>`
    select coalesce(sum(a.spent), 0)::bigint as spent, coalesce(sum(a.held), 0)::bigint as held,
      (select coalesce(sum(r.in_flight), 0)::integer from budgets_rates r) as "inFlight"
    from budgets_accounts a where a.owner = ${owner}`.execute(database.db)
  return rows[0] ?? { spent: 0n, held: 0n, inFlight: 0 }
}

/** Reads an account again and again until `stop`, and counts the instants at which more was spent and held than the limit. */
export function watchAccount(database: Database, owner: string, limit: bigint) {
  const watched = { samples: 0, overspent: 0 }
  const stop = new AbortController()
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const now = await readLedger(database, owner).catch(() => undefined)
      if (now !== undefined) watched.samples++
      if (now !== undefined && now.spent + now.held > limit) watched.overspent++
      await sleep(10)
    }
  }
  const done = loop()
  return {
    stop: async () => {
      stop.abort()
      await done
      return watched
    },
  }
}

/** Charges of holds by id, of an agent. */
export async function readCharges(
  database: Database,
  agentUid: string,
): Promise<ReadonlyMap<string, { readonly state: string; readonly charged: bigint | null }>> {
  const { rows } = await sql<{ id: string; state: string; charged: bigint | null }>`
    select id, state, charged from budgets_holds where agent_uid = ${agentUid}`.execute(database.db)
  return new Map(rows.map(({ id, ...hold }) => [id, hold]))
}
