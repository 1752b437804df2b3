import type { AuditRow } from './audit-row.ts'
import { countOf, isAct, isCounted, isUnknown } from './row-keys.ts'

/** Merges rows of one key within a batch as the table does. The result does not depend on the batching of events. */
export function mergeRows(rows: readonly AuditRow[]): readonly AuditRow[] {
  const byKey = new Map<string, AuditRow>()
  for (const row of rows) {
    const before = byKey.get(row.key)
    byKey.set(row.key, before ? merge(before, row) : row)
  }
  return [...byKey.values()]
}

function merge(before: AuditRow, row: AuditRow): AuditRow {
  if (isAct(before)) return isUnknown(before) ? { ...row, occurred_at: before.occurred_at } : before
  if (isCounted(before)) return { ...before, detail: { ...before.detail, count: countOf(before) + countOf(row) } }
  const seen = [before, row].find(({ source }) => source === 'controller') ?? before
  const { occurred_at } = before
  const namespace_uid = seen.namespace_uid ?? before.namespace_uid ?? row.namespace_uid
  const detail = { ...before.detail, ...row.detail, ...seen.detail }
  const { pending: _pending, claimedAt: _claimedAt, ...merged } = seen
  const made = { ...merged, ...actingOf(before, row), occurred_at, namespace_uid, detail }
  return before.pending === true && row.pending === true ? { ...made, pending: true } : made
}

type Acting = Pick<AuditRow, 'actor' | 'actor_kind' | 'actor_exact' | 'action' | 'trace_id' | 'claimedAt'>

// The exact actor. Of two, the caller reported by the BFF, else the actor whose request completed first.
function actingOf(before: AuditRow, row: AuditRow): Acting {
  const exact = [before, row].filter((one) => one.actor_exact)
  const first = exact.toSorted((a, b) => (a.claimedAt?.getTime() ?? 0) - (b.claimedAt?.getTime() ?? 0))[0] ?? before
  const { actor, actor_kind, actor_exact, action, trace_id, claimedAt } = first
  return { actor, actor_kind, actor_exact, action, trace_id, ...(claimedAt === undefined ? {} : { claimedAt }) }
}
