import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { defer } from '#core/database/statement.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import type { MeteredModelCall } from '#plugins/providers/contract/events.ts'
import { usageReported } from '#plugins/runs/contract/events.ts'
import { agentLabelsChanged, personErased } from '../contract/events.ts'
import type { CostTables } from '../contract/tables.ts'
import { utcDayOf, toDaySums } from './day-sums.ts'
import type { CostLine } from './day-sums.ts'
import { renamePerson } from './erase-person.ts'

type Event = Omit<StoredEvent, 'position'>
type Db = Transaction<CostTables>

/** Cost by day, from events only (ADR 0113). A group of metered calls is folded first: one statement for agents, one for users. */
export const costProjection: Projection = {
  name: 'cost.days',
  version: 1,
  tables: ['cost_days', 'cost_persons', 'cost_runs', 'cost_agents'],
  types: [modelCallMetered, usageReported, agentLabelsChanged, personErased],
  apply: (event, tx) => applyEvents([event], tx.withTables<CostTables>()),
  applyAll: (events, tx) => applyEvents(events, tx.withTables<CostTables>()),
}

async function applyEvents(events: readonly Event[], db: Db): Promise<void> {
  const erased = events.findIndex(({ type }) => type === personErased.type)
  const [event] = events.slice(erased)
  if (erased === -1 || event === undefined) return addEvents(events, db)
  // Only calls before it lose their name.
  await addEvents(events.slice(0, erased), db)
  await renamePerson(event, db)
  await applyEvents(events.slice(erased + 1), db)
}

async function addEvents(events: readonly Event[], db: Db): Promise<void> {
  const metered = events.filter(({ type }) => type === modelCallMetered.type)
  if (metered.length > 0) await addMetered(metered, db)
  for (const event of events) {
    if (event.type === usageReported.type) await addReport(event, db)
    else if (event.type === agentLabelsChanged.type) await setAgent(event, db)
  }
}

// Reports of a run are ignored once one of its calls was metered, in either order: the launcher reports the same calls.
async function addMetered(metered: readonly Event[], db: Db): Promise<void> {
  const lines = toDaySums(metered)
  const persons = lines.filter(({ subject }) => subject !== '')
  const agents = lines.filter(({ subject }) => subject === '')
  if (agents.length > 0) await sql`with ${markRuns(metered)} ${addLines('cost_days', agents)}`.execute(db)
  if (persons.length > 0) await addLines('cost_persons', persons).execute(db)
}

function markRuns(metered: readonly Event[]): RawBuilder<unknown> {
  return sql`marked as (
      insert into cost_runs
      select run_id, day, '', '', agent_uid, true, 0, 0, 0, 0, 0, 0, answered
      from jsonb_to_recordset(${JSON.stringify(runsOf(metered))}::jsonb)
        as given(run_id text, day date, agent_uid text, answered numeric)
      on conflict (run_id) do update set metered = true, calls = 0, unpriced = 0, input_tokens = 0, output_tokens = 0,
        cached_tokens = 0, reasoning_tokens = 0, answered = cost_runs.answered + excluded.answered)`
}

const who = { cost_days: ['agent_uid'], cost_persons: ['subject'] } as const
const sums = ['calls', 'unpriced', 'input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'micros']

function addLines(table: keyof typeof who, lines: readonly CostLine[]): RawBuilder<unknown> {
  const keys = ['namespace', 'namespace_uid', ...who[table], 'provider', 'model', 'operation', 'currency', 'price']
  const texts = table === 'cost_days' ? [...keys, 'agent'] : keys
  const columns = sql.join(['day', ...texts, ...sums].map((name) => sql.ref(name)))
  const types = sql.join([
    ...texts.map((name) => sql`${sql.ref(name)} text`),
    ...sums.map((name) => sql`${sql.ref(name)} numeric`),
  ])
  const added = sums.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  )
  return sql`insert into ${sql.table(table)} (${columns})
    select ${columns} from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as given(day date, ${types})
    on conflict (day, ${sql.join(keys.map((name) => sql.ref(name)))}) do update set ${sql.join(added)}`
}

interface MeteredRun {
  readonly run_id: string
  readonly day: string
  readonly agent_uid: string
  readonly answered: number
}

// In the order of their ids, as the rows of days are in the order of their keys. Embeddings of a role are not in the run's reports.
function runsOf(metered: readonly Event[]): readonly object[] {
  const runs = new Map<string, MeteredRun>()
  for (const event of metered) {
    const { runId, agentUid, payer, status } = event.data as MeteredModelCall
    if (runId === null || payer !== undefined) continue
    const answered = (runs.get(runId)?.answered ?? 0) + (status < 400 ? 1 : 0)
    runs.set(runId, { run_id: runId, day: utcDayOf(event), agent_uid: agentUid ?? '', answered })
  }
  return [...runs].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

async function addReport(event: Event, db: Db): Promise<void> {
  const { subject } = event
  const data = event.data as NonNullable<(typeof usageReported)['of']>
  const row = {
    run_id: data.runId,
    day: utcDayOf(event),
    namespace: subject.namespace ?? '',
    namespace_uid: subject.namespaceUid ?? '',
    agent_uid: data.agentUid,
    metered: false,
    answered: '0',
    reported: data.gateway === true ? '1' : '0',
    reported_at: event.time,
    calls: '1',
    unpriced: '1',
    input_tokens: String(data.inputTokens),
    output_tokens: String(data.outputTokens),
    cached_tokens: String(data.cachedTokens),
    reasoning_tokens: String(data.reasoningTokens),
  }
  const sum = (name: string) => sql<string>`${sql.ref(`cost_runs.${name}`)} + ${sql.ref(`excluded.${name}`)}`
  const add = (name: string) => sql<string>`case when cost_runs.metered then 0 else ${sum(name)} end`
  const query = db
    .insertInto('cost_runs')
    .values(row)
    .onConflict((on) =>
      on.column('run_id').doUpdateSet({
        namespace: row.namespace,
        namespace_uid: row.namespace_uid,
        calls: add('calls'),
        unpriced: add('unpriced'),
        input_tokens: add('input_tokens'),
        output_tokens: add('output_tokens'),
        cached_tokens: add('cached_tokens'),
        reasoning_tokens: add('reasoning_tokens'),
        reported: sum('reported'),
        reported_at: sql<Date>`greatest(cost_runs.reported_at, excluded.reported_at)`,
      }),
    )
  await defer(db, query)
}

async function setAgent({ subject, data }: Event, db: Db): Promise<void> {
  const { labels } = data as NonNullable<(typeof agentLabelsChanged)['of']>
  const about = { namespace: subject.namespace ?? '', namespace_uid: subject.namespaceUid ?? '', name: subject.name }
  const row = { ...about, labels: JSON.stringify(labels) }
  await db
    .insertInto('cost_agents')
    .values({ uid: subject.uid ?? '', ...row })
    .onConflict((on) => on.column('uid').doUpdateSet(row))
    .execute()
}
