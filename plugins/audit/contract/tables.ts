import type { Transaction } from 'kysely'

/** Tables of the audit log (a type, not an interface: kysely requires known keys). */
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
    /** Null in rows of versions before 0008. */
    actor_exact: boolean | null
    /** Uid of the namespace of the row; null if unknown (SEC17). */
    namespace_uid: string | null
  }
  audit_keys: {
    generation: number
    id: string
    occurred_at: Date
    exact: boolean
    /** Completion time of the act if the API server named the actor; null for guesses and for callers reported by the BFF. */
    claimed_at: Date | null
    /** Actor of a row that does not exist yet. */
    claim: PendingActor | null
  }
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

/** An actor that waits for its row. */
export interface PendingActor {
  readonly actor: string
  readonly actor_kind: 'user' | 'controller' | 'system'
  readonly detail: Record<string, unknown>
}

/** A transaction on these tables. */
export type AuditTx = Transaction<AuditTables>
