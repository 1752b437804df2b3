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
    /** Null in rows of versions before 0008. */
    actor_exact: boolean | null
    /** Uid of the namespace that the row is of; null when it is not known (SEC17). */
    namespace_uid: string | null
  }
  audit_keys: {
    generation: number
    id: string
    occurred_at: Date
    exact: boolean
    /** When the act of an actor that the API server named was complete; null for a guess and for the BFF's own caller. */
    claimed_at: Date | null
    /** The row's actor, while the row itself has not come. */
    claim: Claim | null
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
export interface Claim {
  readonly actor: string
  readonly actor_kind: 'user' | 'controller' | 'system'
  readonly detail: Record<string, unknown>
}

/** A transaction on them. */
export type AuditTx = Transaction<AuditTables>
