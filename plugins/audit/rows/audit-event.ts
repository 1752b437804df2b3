import type { AuditEvent } from '#schemas/api/audit.ts'
import type { AuditTables } from '../store/tables.ts'

type Row = Omit<AuditTables['audit_log'], 'namespace_uid' | 'actor_exact'> & { readonly actor_exact: boolean }

/** The row as the API and the log line of a dropped row show it. */
export function toAuditEvent(row: Row): AuditEvent {
  const { id, source, actor, action, namespace, outcome, detail } = row
  return {
    id,
    occurredAt: row.occurred_at.toISOString(),
    source,
    actor,
    actorExact: row.actor_exact,
    actorKind: row.actor_kind,
    action,
    resourceKind: row.resource_kind,
    resourceName: row.resource_name,
    namespace,
    outcome,
    traceId: row.trace_id,
    detail,
  }
}
