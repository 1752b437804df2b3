import { sql } from 'kysely'
import { formatMicros } from '#schemas/values/money.ts'
import type { Reader } from '#core/event-store/store.ts'
import { METERED_WITHIN_SECONDS } from '../contract/events.ts'
import type { RunsTables } from '../contract/tables.ts'
import type { RunCosts, RunMoney } from '../contract/run.ts'

/** Costs of a run without calls. */
export const noCosts: RunCosts = { cost: null, treeCost: null, unpricedCalls: 0, pendingCalls: 0 }

const MAX_OF_TREES = 10_000

interface Row {
  readonly run: string
  readonly is_own: boolean
  readonly micros: string
  readonly currency: string | null
  readonly currencies: number
  readonly unpriced: string
  readonly pending: string
  readonly complete: boolean
}

/**
 * Costs, by id, of runs that were read with a proof. Children in other namespaces count: only their sum is shown. The sum is read from the rows of
 * the tree, since a sum stored at the root would make all calls of a tree wait for one row.
 */
export async function readCosts(
  db: Reader<RunsTables>,
  runs: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, RunCosts>> {
  if (runs.length === 0) return new Map()
  const ids = JSON.stringify(runs.map(({ id }) => id))
  const { rows } = await sql<Row>`
    with recursive tree as (
      select value::uuid as top, value::uuid as id from jsonb_array_elements_text(${ids}::jsonb)
      union all
      select tree.top, child.id from tree join runs_runs child on child.parent_run_id = tree.id),
    members as (select top, id from tree limit ${MAX_OF_TREES + runs.length}),
    calls as (
      select m.top, m.id = m.top as is_own, c.micros, c.currency, c.mixed,
        c.unpriced + case when c.metered then 0 else c.own_reports + case when recent then 0 else c.reported end end as unpriced,
        case when recent then greatest(c.reported - c.answered, 0) else 0 end as pending
      from members m join (select *, reported_at > clock_timestamp() - make_interval(secs => ${METERED_WITHIN_SECONDS}) as recent
        from runs_costs) c on c.run_id = m.id)
    select top as run, is_own, sum(micros)::text as micros, max(currency) as currency,
      (count(distinct currency) + count(*) filter (where mixed))::int as currencies,
      sum(unpriced)::text as unpriced, sum(pending)::text as pending,
      (select count(*) <= ${MAX_OF_TREES} from members) as complete
    from calls group by top, is_own`.execute(db)
  const byRun = Map.groupBy(rows, ({ run }) => run)
  return new Map([...byRun].map(([id, found]) => [id, toCosts(found)]))
}

/** Costs of one run. See {@link readCosts}. */
export async function readCostsOf(db: Reader<RunsTables>, run: { readonly id: string }): Promise<RunCosts> {
  return (await readCosts(db, [run])).get(run.id) ?? noCosts
}

function toCosts(rows: readonly Row[]): RunCosts {
  const own = rows.find(({ is_own }) => is_own)
  return {
    cost: toMoney(own === undefined ? [] : [own]),
    treeCost: rows.every(({ complete }) => complete) ? toMoney(rows) : null,
    unpricedCalls: Number(own?.unpriced ?? 0),
    pendingCalls: Number(own?.pending ?? 0),
  }
}

function toMoney(rows: readonly Row[]): RunMoney | null {
  const priced = rows.filter(({ currency }) => currency !== null)
  const [currency] = new Set(priced.map((row) => row.currency))
  const isOne = priced.every((row) => row.currencies === 1 && row.currency === currency)
  if (currency === undefined || currency === null || !isOne) return null
  return { amount: formatMicros(priced.reduce((sum, { micros }) => sum + BigInt(micros), 0n)), currency }
}
