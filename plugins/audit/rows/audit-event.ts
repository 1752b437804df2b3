import type { AuditEvent } from '#schemas/api/audit.ts'
import type { AuditTables } from '../contract/tables.ts'

type Row = Omit<AuditTables['audit_log'], 'namespace_uid' | 'actor_exact'> & { readonly actor_exact: boolean }

/** Converts a row for the API, and for the log line of a dropped row. */
export function toAuditEvent(row: Row): AuditEvent {
  const { id, source, actor, action, namespace, outcome, detail } = row
  return {
    id,
    occurred_at: row.occurred_at.toISOString(),
    source,
    actor,
    actor_exact: row.actor_exact,
    actor_kind: row.actor_kind,
    action,
    resource_kind: row.resource_kind,
    resource_name: row.resource_name,
    namespace,
    outcome,
    trace_id: row.trace_id,
    detail,
  }
}
