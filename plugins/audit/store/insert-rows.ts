import { sql } from 'kysely'
import type { AuditRow } from '../rows/audit-row.ts'
import { arrayParameter, details, ids, texts } from './array-parameter.ts'
import { ensureDays } from './day-partitions.ts'
import { keyDays } from './key-partitions.ts'
import type { Held } from './seals.ts'
import type { AuditTx as Tx } from '../contract/tables.ts'

/** The locks of a writer, and the oldest instant that it may write. */
export type Window = Held & { readonly retentionDays: number }
type Rows = readonly AuditRow[]

const dayMs = 86_400_000

/** Claims the keys of rows. Returns the ids of newly claimed ones. */
export async function claimKeys(
  tx: Tx,
  rows: Rows,
  { generation, retentionDays }: Window,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const { rows: answer } = await sql<Answer>`
    select audit_claim(${generation}, ${retentionDays}, ${ids(rows)}, ${times(rows)}, ${exact(rows)}) as claimed`.execute(
    tx,
  )
  return without(rows, answer)
}

/** Claims the keys of rows and inserts those with a new key. Returns their ids. */
export async function insertRows(tx: Tx, rows: Rows, window: Window): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  await ensureDays(tx, rows, window.today)
  const keyedSince = window.now.getTime() - keyDays * dayMs
  // A row may outlive its key and be reported again, so it is looked up. Younger rows cannot, and the lookup is a fifth of the insert.
  const isYoung = (row: AuditRow): boolean => row.occurred_at.getTime() >= keyedSince
  const inserted = await insert(tx, rows.filter(isYoung), window, false)
  const old = rows.filter((row) => !isYoung(row))
  return new Set([...inserted, ...(await insert(tx, old, window, true))])
}

/** Inserts rows whose keys are already claimed. */
export async function insertUnkeyed(tx: Tx, rows: Rows, { today }: Window): Promise<void> {
  if (rows.length === 0) return
  await ensureDays(tx, rows, today)
  await sql`
    insert into audit_log (id, occurred_at, source, actor, actor_kind, action, resource_kind, resource_name, namespace,
      outcome, trace_id, detail, actor_exact, namespace_uid)
    select * from unnest(${ids(rows)}, ${times(rows)}, ${columnsOf(rows)}, ${exact(rows)},
      ${texts(rows, (row) => row.namespace_uid)})
    on conflict (occurred_at, id) do nothing`.execute(tx)
}

// In the order of the table.
function columnsOf(rows: Rows) {
  return sql`${texts(rows, (row) => row.source)}, ${texts(rows, (row) => row.actor)},
      ${texts(rows, (row) => row.actor_kind)}, ${texts(rows, (row) => row.action)},
      ${texts(rows, (row) => row.resource_kind)}, ${texts(rows, (row) => row.resource_name)},
      ${texts(rows, (row) => row.namespace)}, ${texts(rows, (row) => row.outcome)},
      ${texts(rows, (row) => row.trace_id)}, ${details(rows)}`
}

// One statement for up to 500 rows and their keys: sent and parsed once.
async function insert(
  tx: Tx,
  rows: Rows,
  { generation, retentionDays }: Window,
  again: boolean,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const { rows: answer } = await sql<Answer>`
    select audit_insert(${generation}, ${retentionDays}, ${again}, ${ids(rows)}, ${times(rows)}, ${exact(rows)},
      ${columnsOf(rows)}, ${texts(rows, (row) => row.namespace_uid)}) as claimed`.execute(tx)
  return without(rows, answer)
}

interface Answer {
  readonly claimed: readonly string[]
}

// Returns keys that another writer has claimed, which is rare.
function without(rows: Rows, answer: readonly Answer[]): ReadonlySet<string> {
  const own = new Set(rows.map((row) => row.id))
  for (const { claimed } of answer) for (const id of claimed) own.delete(id)
  return own
}

const exact = (rows: Rows) => arrayParameter('boolean', rows, (row) => row.actor_exact)

// Many rows of a batch share a millisecond.
function times(rows: Rows) {
  let at = Number.NaN
  let text = ''
  return arrayParameter('timestamptz', rows, ({ occurred_at: time }) => {
    if (time.getTime() !== at) [at, text] = [time.getTime(), time.toISOString()]
    return text
  })
}
