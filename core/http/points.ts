import { definePoint } from '#core/host/points.ts'

/**
 * A decided mutation: references only, never what was submitted. `success` is recorded for cluster objects alone (the
 * exact caller for the row that the informer makes), and not when the answer's resourceVersion is that of the request.
 */
export interface Outcome {
  readonly actor: string
  readonly action: string
  readonly resourceKind: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly outcome: 'success' | 'denied' | 'error'
  readonly traceId: string
  readonly code: string
  /** The cluster object as the API server returned it. */
  readonly object?: { readonly uid: string; readonly resourceVersion: string }
}

/** Takes outcomes; must not throw and is not waited for. */
export interface OutcomeSink {
  record(outcome: Outcome): void
}

/** Who is told of denied and failed mutations (the audit plugin). */
export const httpOutcome = definePoint<OutcomeSink>('http.outcome')
