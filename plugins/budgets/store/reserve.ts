import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import { ownerOf } from '../limits/owner.ts'
import type { CallLimit } from '../contract/points.ts'
import type { BudgetsTables } from '../contract/tables.ts'

/** A hold that is requested. */
export interface NewHold {
  readonly id: string
  readonly holder: string
  readonly requestKey: string
  readonly agentUid: string
  readonly runId: string | null
  /** `namespace/name` of the route. */
  readonly route: string
  /** In micro-units; 0 if no limit counts money. */
  readonly amount: bigint
  readonly currency: string | null
  readonly maxOutputTokens: number
  readonly prices: unknown
  readonly leaseSeconds: number
  /** Limits that apply to the call. Limits of money have the currency of the hold. */
  readonly limits: readonly CallLimit[]
}

/** A hold that was created, now or by an earlier request with the same key. */
export interface MadeHold {
  readonly kind: 'held'
  readonly id: string
  readonly amount: bigint
  readonly maxOutputTokens: number
  readonly expiresAt: Date
  /** Least remaining amount of the limits; null without a spending limit, or for a repeated request. */
  readonly remaining: bigint | null
}

/** A hold that a limit refused. `first`: the first refusal by this limit in its window. */
export interface RefusedHold {
  readonly kind: 'spend' | 'rate' | 'concurrency'
  readonly limit: CallLimit
  readonly first: boolean
  readonly retryAfterSeconds: number
}

interface Row {
  readonly n: number
  readonly outcome: 'held' | 'repeated' | 'spend' | 'rate' | 'concurrency'
  readonly place: number | null
  readonly first: boolean
  readonly retry_after: number | null
  readonly hold: string
  readonly amount: bigint
  readonly max_output: bigint
  readonly expires_at: Date
  readonly remaining: bigint | null
}

/**
 * Decides on holds in order, in one statement. A hold is created if `spent + held + amount` stays within each of its limits, and its calls within
 * their rates. Results have the order of the holds.
 */
export async function reserve(tx: Tx, holds: readonly NewHold[]): Promise<readonly (MadeHold | RefusedHold)[]> {
  const given = toParameter(holds)
  const { rows } = await sql<Row>`select * from budgets_reserve(${given}::jsonb)`.execute(tx.tables<BudgetsTables>())
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return holds.map((hold, n) => {
    const row = byNumber.get(n)
    if (row === undefined) throw new Error('the ledger did not decide on a hold')
    return toResult(hold, row)
  })
}

function toResult(hold: NewHold, row: Row): MadeHold | RefusedHold {
  const { outcome } = row
  if (outcome === 'held' || outcome === 'repeated')
    return {
      kind: 'held',
      id: row.hold,
      amount: row.amount,
      maxOutputTokens: Number(row.max_output),
      expiresAt: row.expires_at,
      remaining: row.remaining,
    }
  const limit = hold.limits[row.place ?? -1]
  if (limit === undefined) throw new Error('the ledger refused a hold without a limit')
  return { kind: outcome, limit, first: row.first, retryAfterSeconds: Math.max(1, Math.ceil(row.retry_after ?? 1)) }
}

// Positions count from 1, as in arrays of SQL. Amounts are strings: JSON numbers are not exact.
function toParameter(holds: readonly NewHold[]): string {
  const accounts = new Places<{ owner: string; currency: string; spend_window: string }>()
  const rates = new Places<{ owner: string }>()
  const rows = holds.map((hold, n) => ({
    n,
    id: hold.id,
    holder: hold.holder,
    request_key: hold.requestKey,
    agent_uid: hold.agentUid,
    run_id: hold.runId,
    route: hold.route,
    amount: String(hold.amount),
    currency: hold.currency,
    max_output: hold.maxOutputTokens,
    prices: hold.prices,
    lease: hold.leaseSeconds,
    limits: hold.limits.flatMap(({ subject, spend }, place) =>
      spend === undefined
        ? []
        : [{ account: accounts.of(toAccount(ownerOf(subject), spend)), most: String(spend.amount), place }],
    ),
    rates: hold.limits.flatMap(({ subject, requestsPerMinute, concurrency, countsCalls }, place) =>
      requestsPerMinute === undefined && concurrency === undefined && countsCalls === undefined
        ? []
        : [
            {
              rate: rates.of({ owner: ownerOf(subject) }),
              per_minute: requestsPerMinute ?? UNLIMITED,
              concurrency: concurrency ?? UNLIMITED,
              place,
            },
          ],
    ),
  }))
  return JSON.stringify({ accounts: accounts.all(), rates: rates.all(), holds: rows })
}

const UNLIMITED = 2_000_000_000

function toAccount(owner: string, { currency, window }: NonNullable<CallLimit['spend']>) {
  return { owner, currency, spend_window: window }
}

/** Distinct values, each with its position. */
class Places<Value extends object> {
  readonly #positions = new Map<string, number>()
  readonly #values: Value[] = []

  of(value: Value): number {
    const key = JSON.stringify(Object.values(value))
    const known = this.#positions.get(key)
    if (known !== undefined) return known
    const position = this.#values.push(value)
    this.#positions.set(key, position)
    return position
  }

  all(): readonly (Value & { readonly n: number })[] {
    return this.#values.map((value, index) => ({ ...value, n: index + 1 }))
  }
}
