import { formatMicros } from '#schemas/values/money.ts'
import type { GroupKey, GroupSums } from '../store/read-cost.ts'

/** Keys by which a statement is grouped, in addition to the day of an export. */
export const lineKeys = [
  'namespace',
  'namespace_uid',
  'agent',
  'agent_uid',
  'subject',
  'provider',
  'model',
  'operation',
] as const

/** Keys of a line of an export: one currency and one price each. */
export const exportKeys: readonly GroupKey[] = ['day', ...lineKeys, 'currency', 'price']

/** One line of an export: calls of a day with one price. Empty keys are null. */
export interface ExportLine {
  readonly day: string
  readonly tenant: string | null
  readonly namespace: string
  readonly namespaceUid: string | null
  readonly agent: string | null
  readonly agentUid: string | null
  /** The user that called. */
  readonly subject: string | null
  readonly provider: string | null
  readonly model: string | null
  readonly operation: string
  readonly currency: string | null
  readonly price: string | null
  /** Decimal string; null if the cost is unknown. */
  readonly cost: string | null
  readonly sums: Omit<GroupSums, 'keys'>
}

/** Converts a group of `exportKeys`. Pure. */
export function toLine({ keys, ...sums }: GroupSums, tenants: ReadonlyMap<string, string>): ExportLine {
  const [day = '', namespace = '', namespaceUid, agent, agentUid, subject, provider, ...called] = keys
  const [model, operation = '', currency, price] = called
  const micros = sums.micros[currency ?? '']
  return {
    day,
    tenant: tenants.get(namespace) ?? null,
    namespace,
    namespaceUid: namespaceUid || null,
    agent: agent || null,
    agentUid: agentUid || null,
    subject: subject || null,
    provider: provider || null,
    model: model || null,
    operation,
    currency: currency || null,
    price: price || null,
    cost: micros === undefined ? null : formatMicros(BigInt(micros)),
    sums,
  }
}
