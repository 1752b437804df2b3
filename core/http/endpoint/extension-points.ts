import { definePoint } from '#core/jobs/extension-point.ts'

/**
 * Outcome of a caller's act: references only, never submitted values. Recorded for denied and failed mutations of every route. Also recorded
 * as `success` for each change of a cluster object made as the caller, since only the BFF knows the caller.
 */
export interface Outcome {
  /** Undefined for a refused sign-in, whose sender is not known. */
  readonly actor: string | undefined
  readonly action: string
  readonly resourceKind: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly outcome: 'success' | 'denied' | 'error'
  /** W3C Trace Context of the request. */
  readonly traceparent: string
  /** Change of the object if `action` has its own name (`rollback`). */
  readonly change?: 'create' | 'update' | 'delete'
  /** `Audit-Id` of the cluster's response, which identifies the request in its own audit log. */
  readonly auditId?: string
  /** Code of the error table; absent for a success. */
  readonly code?: string
  /** The object as returned by the API server, for a success. A deletion has no version. */
  readonly object?: { readonly uid: string; readonly resourceVersion?: string }
  /** Id of the intent settled by this outcome. */
  readonly intent?: string
  /** How a browser signed in. */
  readonly way?: 'code' | 'token' | 'oidc'
  /** Persona that a session of the embedded default changed to. */
  readonly persona?: string
  /** Number of equal refusals that this outcome counts; absent for a single one. */
  readonly count?: number
}

/** Intent of an act that leaves no record of its own (A2); the outcome refers to its `id`. */
export interface Intent extends Pick<Outcome, 'action' | 'resourceKind' | 'namespace' | 'name' | 'traceparent'> {
  readonly id: string
  readonly actor: string
}

/** Receives outcomes. */
export interface OutcomeSink {
  /** Must not throw; not awaited. */
  record(outcome: Outcome): void
  /** Stores an intent durably. Awaited, so it resolves soon (50 ms) and never rejects. */
  intend(intent: Intent): Promise<void>
}

/** Receivers of outcomes (the audit plugin). */
export const httpOutcome = definePoint<OutcomeSink>('http.outcome')
