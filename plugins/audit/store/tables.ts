import type { Transaction } from 'kysely'

/** Tables of the audit log (a type, not an interface: kysely wants its keys to be known). */
export type AuditTables = {
  audit_log: {
    id: string
    occurred_at: Date
    source: 'controller' | 'bff'
    actor: string
    actor_kind: 'user' | 'controller' | 'system'
    action: string
    resource_kind: string
    resource_name: string
    namespace: string
    outcome: 'success' | 'denied' | 'error'
    trace_id: string | null
    detail: Record<string, unknown>
  }
  audit_keys: { generation: number; id: string; occurred_at: Date; exact: boolean }
  audit_intents: {
    id: string
    intended_at: Date
    recorded_at: Date
    actor: string
    action: string
    resource_kind: string
    resource_name: string
    namespace: string | null
    traceparent: string | null
  }
}

/** A transaction on them. */
export type AuditTx = Transaction<AuditTables>
