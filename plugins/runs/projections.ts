import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { defer } from '#core/database/statement.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { runCreated, runDeleted, runEvents } from './contract/events.ts'
import { dataOf, joinChanges, toNewRow, toRowChange } from './lifecycle/run-row.ts'
import type { RowChange } from './lifecycle/run-row.ts'
import type { RunsTables } from './contract/tables.ts'
import { conversationKey, deleteEmptyConversation, insertTurn } from './projections/conversations.ts'

type Event = Omit<StoredEvent, 'position'>
type Db = Transaction<RunsTables>

/** The read model, derived from events only: rows of runs, of their labels and of their conversations. */
export const runsProjection: Projection = {
  name: 'runs.runs',
  version: 1,
  tables: ['runs_runs', 'runs_labels', 'runs_conversations'],
  types: runEvents,
  apply: (event, tx) => applyEvents([event], tx.withTables<RunsTables>()),
  applyAll: (events, tx) => applyEvents(events, tx.withTables<RunsTables>()),
}

/** Merges successive changes of one run to one update. */
async function applyEvents(events: readonly Event[], tx: Db): Promise<void> {
  let pending: { readonly runId: string; readonly change: RowChange } | undefined
  const flush = async (): Promise<void> => {
    if (pending !== undefined) await updateRun(pending.runId, pending.change, tx)
    pending = undefined
  }
  for (const event of events) {
    const { runId } = event.data as { readonly runId: string }
    const change = toRowChange(event)
    const joined = change && pending?.runId === runId ? joinChanges(pending.change, change) : undefined
    if (joined === undefined) await flush()
    if (change !== undefined) pending = { runId, change: joined ?? change }
    else if (event.type === runCreated.type) await insertRun(event, tx)
    else if (event.type === runDeleted.type) await deleteRun(event, tx)
  }
  await flush()
}

async function deleteRun(event: Event, tx: Db): Promise<void> {
  const { runId } = dataOf(event, runDeleted)
  const run = await tx.deleteFrom('runs_runs').where('id', '=', runId).returning(conversationKey).executeTakeFirst()
  await tx.deleteFrom('runs_labels').where('run_id', '=', runId).execute()
  if (run?.agent_uid != null) await deleteEmptyConversation(tx, { ...run, agent_uid: run.agent_uid })
}

async function insertRun(event: Event, tx: Db): Promise<void> {
  const { subject, open_interrupts: open, labels, ...row } = toNewRow(event)
  const ofRoot = sql<string>`coalesce(
    (select root.trigger_by from runs_runs root where root.id = ${row.root_run_id}), ${row.trigger_by})`
  const json = { open_interrupts: JSON.stringify(open), labels: JSON.stringify(labels) }
  await defer(tx, insertTurn(tx, { ...row, ...json, subject: subject ?? ofRoot }))
  const about = { run_id: row.id, namespace_uid: row.namespace_uid, created_at: row.created_at }
  const pairs = Object.entries(labels).map(([key, value]) => ({ ...about, key, value }))
  if (pairs.length === 0) return
  // The trigger of migration 0004 may have inserted the row already.
  await defer(
    tx,
    tx
      .insertInto('runs_labels')
      .values(pairs)
      .onConflict((on) => on.doNothing()),
  )
}

async function updateRun(runId: string, { set, startedAt, closes, usage }: RowChange, tx: Db): Promise<void> {
  const { open_interrupts: open, labels: _, ...columns } = set
  const update = tx
    .updateTable('runs_runs')
    .set({
      ...columns,
      ...(open && { open_interrupts: JSON.stringify(open) }),
      ...(startedAt && { started_at: sql<Date>`coalesce(started_at, ${startedAt})` }),
      ...(closes !== undefined && { open_interrupts: without(closes) }),
      ...(usage && {
        input_tokens: sumOf('input_tokens', usage.inputTokens),
        output_tokens: sumOf('output_tokens', usage.outputTokens),
        cached_tokens: sumOf('cached_tokens', usage.cachedTokens),
        reasoning_tokens: sumOf('reasoning_tokens', usage.reasoningTokens),
      }),
    })
    .where('id', '=', runId)
  await defer(tx, update)
}

function without(interruptId: string) {
  return sql<string>`coalesce((select jsonb_agg(i) from jsonb_array_elements(open_interrupts) i
    where i->>'id' <> ${interruptId}), '[]'::jsonb)`
}

// Larger numbers are not exact, neither in the column nor in JSON.
function sumOf(column: string, more: number) {
  return sql<number>`least(${sql.ref(column)} + ${more}::float8, ${Number.MAX_SAFE_INTEGER}::float8)`
}
