import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import type { MeteredModelCall } from '#plugins/providers/contract/events.ts'
import { runCreated } from '#plugins/runs/contract/events.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import type { CallRow, RegistriesTables } from './contract/tables.ts'
import { bucketOf } from './store/buckets.ts'

type Event = Omit<StoredEvent, 'position'>
type Line = Omit<CallRow, 'slot' | 'calls' | 'failed'> & { slot: string; calls: number; failed: number }

const SLOT_MS = 5 * 60_000

/** Calls of the last hour between agents, routes and providers, from events only: numbers, never content. */
export const callsProjection: Projection = {
  name: 'registries.calls',
  version: 1,
  tables: ['registries_calls'],
  types: [modelCallMetered, runCreated],
  apply: (event, tx) => addCalls([event], tx.withTables<RegistriesTables>()),
  applyAll: (events, tx) => addCalls(events, tx.withTables<RegistriesTables>()),
}

// In the order of their keys, so that concurrent groups never deadlock. A rebuild adds only what a response can show.
async function addCalls(events: readonly Event[], db: Transaction<RegistriesTables>): Promise<void> {
  const lines = toLines(events)
  if (lines.length === 0) return
  await sql`insert into registries_calls (slot, agent_uid, kind, target, provider, bucket, calls, failed)
    select slot, agent_uid, kind, target, provider, bucket, calls, failed
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as given(slot timestamptz, agent_uid text, kind text, target text,
      provider text, bucket smallint, calls bigint, failed bigint)
    where slot > clock_timestamp() - interval '2 hours'
    on conflict (slot, agent_uid, kind, target, provider, bucket) do update
      set calls = registries_calls.calls + excluded.calls, failed = registries_calls.failed + excluded.failed`.execute(
    db,
  )
}

/** One line per key for a group of events. Pure. */
export function toLines(events: readonly Event[]): readonly Line[] {
  const lines = new Map<string, Line>()
  for (const event of events) {
    const line = event.type === modelCallMetered.type ? ofModelCall(event) : ofRun(event)
    if (line === undefined) continue
    const { calls, failed, ...key } = line
    const text = JSON.stringify(Object.values(key))
    const sum = lines.get(text)
    lines.set(text, sum === undefined ? line : { ...sum, calls: sum.calls + calls, failed: sum.failed + failed })
  }
  return [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

// Calls of people and of roles of the platform are of no agent.
function ofModelCall(event: Event): Line | undefined {
  const { agentUid, payer, route, provider, status, durationMs } = event.data as MeteredModelCall
  if (agentUid === null || payer !== undefined) return undefined
  return {
    slot: slotOf(event),
    agent_uid: agentUid,
    kind: 'ModelRoute',
    target: `${route.namespace}/${route.name}`,
    provider,
    bucket: bucketOf(durationMs),
    calls: 1,
    failed: status < 400 ? 0 : 1,
  }
}

// The actor of a run that an agent started is the account of that agent.
function ofRun(event: Event): Line | undefined {
  const { parentRunId, agent } = event.data as NonNullable<(typeof runCreated)['of']>
  const by = parentRunId === null ? undefined : agentOfServiceAccount(event.actor?.name ?? '')
  if (by === undefined || agent === null) return undefined
  return {
    slot: slotOf(event),
    agent_uid: agent.uid,
    kind: 'AgentDeployment',
    target: `${by.namespace}/${by.name}`,
    provider: '',
    bucket: -1,
    calls: 1,
    failed: 0,
  }
}

function slotOf({ time }: Event): string {
  return new Date(Math.floor(time.getTime() / SLOT_MS) * SLOT_MS).toISOString()
}
