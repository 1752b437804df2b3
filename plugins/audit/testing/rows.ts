import type { AuditRow } from '../rows/audit-row.ts'

/** The id of row `n`: ids sort as their numbers do. */
export function idOfRow(n: number): string {
  return `00000000-0000-8000-a000-${String(n).padStart(12, '0')}`
}

/** Row `n` as an informer reports it, at an instant in milliseconds. */
export function rowOf(n: number, at: number, more: Partial<AuditRow> = {}): AuditRow {
  return {
    key: `update/u-${n}/1`,
    eventKey: `event/e-${n}`,
    id: idOfRow(n),
    occurred_at: new Date(at),
    source: 'controller',
    actor: 'manager:kubectl',
    actor_kind: 'controller',
    action: 'update',
    resource_kind: 'AgentTemplate',
    resource_name: `n-${n}`,
    namespace: 'demo',
    outcome: 'success',
    trace_id: null,
    detail: {},
    actor_exact: false,
    namespace_uid: null,
    ...more,
  }
}

const dayMs = 86_400_000
const quietMs = 120_000

/** The start of this UTC day at least two minutes before its end: a test compares it with the day of the database. */
export async function startOfToday(now: () => number = Date.now): Promise<number> {
  const leftMs = dayMs - (now() % dayMs)
  if (leftMs < quietMs) await new Promise((resolve) => setTimeout(resolve, leftMs + 10))
  return Math.floor(now() / dayMs) * dayMs
}
