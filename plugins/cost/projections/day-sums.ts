import type { StoredEvent } from '#core/event-store/event.ts'
import { parseMicros } from '#schemas/values/money.ts'
import type { MeteredModelCall } from '#plugins/providers/contract/events.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import type { CostDayRow, CostPersonRow } from '../contract/tables.ts'

type Event = Omit<StoredEvent, 'position'>

/** A line of an agent, or of a user; then the agent is empty. */
export type CostLine = CostDayRow & CostPersonRow

const KEYS = [
  'day',
  'namespace',
  'namespace_uid',
  'agent_uid',
  'subject',
  'provider',
  'model',
  'operation',
  'currency',
  'price',
] as const
const SUMS = [
  'calls',
  'unpriced',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'micros',
] as const

/** One row per key for a group of metered calls, in the order of their keys: so that concurrent groups never deadlock. Pure. */
export function toDaySums(events: readonly Event[]): readonly CostLine[] {
  const rows = new Map<string, CostLine>()
  for (const event of events) {
    const row = toRow(event)
    const key = JSON.stringify(KEYS.map((name) => row[name]))
    const sum = rows.get(key)
    if (sum === undefined) rows.set(key, row)
    else for (const name of SUMS) sum[name] = String(BigInt(sum[name]) + BigInt(row[name]))
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** Day of an event in UTC. */
export function utcDayOf({ time }: Pick<Event, 'time'>): string {
  return time.toISOString().slice(0, 10)
}

function toRow(event: Event): CostLine {
  const data = event.data as MeteredModelCall
  const { cost } = data
  return {
    day: utcDayOf(event),
    ...payerOf(event, data),
    agent_uid: data.agentUid ?? '',
    provider: data.provider,
    model: data.model,
    operation: data.operation,
    currency: cost?.currency ?? '',
    price: cost?.price ?? '',
    calls: '1',
    unpriced: cost ? '0' : '1',
    input_tokens: String(data.inputTokens),
    output_tokens: String(data.outputTokens),
    cached_tokens: String(data.cachedTokens),
    reasoning_tokens: String(data.reasoningTokens),
    micros: cost ? String(parseMicros(cost.amount)) : '0',
  }
}

// An agent may use the route of another namespace: its own namespace pays. The uid of that namespace comes from the observed agent.
function payerOf({ subject, actor }: Event, { agentUid, route, payer }: MeteredModelCall) {
  const account = agentUid === null || payer !== undefined ? undefined : agentOfServiceAccount(actor?.name ?? '')
  const namespace = payer?.namespace ?? account?.namespace ?? route.namespace
  const ofRoute = namespace === route.namespace ? (subject.namespaceUid ?? '') : ''
  const agent = payer?.agent ?? account?.name ?? ''
  const isPerson = agentUid === null && payer === undefined
  const person = isPerson ? (actor?.name ?? '') : ''
  return { namespace, namespace_uid: payer?.namespaceUid ?? ofRoute, agent, subject: person }
}
