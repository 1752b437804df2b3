import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { BudgetsTables } from '../contract/tables.ts'

/** A hold in a call at the gateway: only the agent and the route for which it was created may use it. */
export interface HoldClaim {
  readonly id: string
  readonly agentUid: string
  readonly route: string
}

/** A hold that a gateway has taken over from its launcher. */
export interface ClaimedHold {
  readonly id: string
  readonly holder: string
  readonly currency: string | null
  readonly prices: unknown
  readonly max_output: bigint
}

type Row = ClaimedHold & { readonly n: number }

/**
 * Takes over live holds, each once: a second call with the same hold gets undefined. The rows are locked in the order in which ends of holds lock
 * them.
 */
export async function claimHolds(tx: Tx, claims: readonly HoldClaim[]): Promise<readonly (ClaimedHold | undefined)[]> {
  const given = claims.map(({ id, agentUid, route }, n) => ({ n, id, agent_uid: agentUid, route }))
  const { rows } = await sql<Row>`
    with g as (select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as x(n integer, id uuid, agent_uid text, route text)),
      locked as materialized (select id from budgets_holds where id in (select id from g) order by id for update)
    update budgets_holds h set claimed_at = clock_timestamp() from locked join g using (id)
    where h.id = locked.id and h.agent_uid = g.agent_uid and h.route = g.route and h.state = 'open'
      and h.claimed_at is null and h.expires_at > clock_timestamp()
    returning g.n, h.id, h.holder, h.currency, h.prices, h.max_output`.execute(tx.tables<BudgetsTables>())
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return claims.map((_, n) => byNumber.get(n))
}
