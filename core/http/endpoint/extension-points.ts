import { definePoint } from '#core/jobs/extension-point.ts'

/**
 * What a caller did or tried: references only, never what was submitted. Denied and failed mutations of every route; `success` for
 * each change of a cluster object that was made as the caller, since only the BFF knows the caller.
 */
export interface Outcome {
  readonly actor: string
  readonly action: string
  readonly resourceKind: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly outcome: 'success' | 'denied' | 'error'
  /** W3C Trace Context of the request. */
  readonly traceparent: string
  /** What was done to the object where `action` is a name of its own (`rollback`). */
  readonly change?: 'create' | 'update' | 'delete'
  /** `Audit-Id` of the cluster's answer: its own audit log names the same request. */
  readonly auditId?: string
  /** Code of the error table; none of a success. */
  readonly code?: string
  /** Of a success: the object as the API server returned it. A deletion has no version. */
  readonly object?: { readonly uid: string; readonly resourceVersion?: string }
  /** Id of the intent that this settles. */
  readonly intent?: string
}

/** What a caller is about to do, for an act that leaves no trace of its own (A2); `id` comes back in the outcome. */
export interface Intent extends Pick<
  Outcome,
  'actor' | 'action' | 'resourceKind' | 'namespace' | 'name' | 'traceparent'
> {
  readonly id: string
}

/** Takes outcomes. */
export interface OutcomeSink {
  /** Must not throw and is not waited for. */
  record(outcome: Outcome): void
  /** Keeps an intent where it outlives this process; waited for, so it resolves soon (50 ms) and never rejects. */
  intend(intent: Intent): Promise<void>
}

/** Who is told of outcomes (the audit plugin). */
export const httpOutcome = definePoint<OutcomeSink>('http.outcome')
