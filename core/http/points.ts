import { definePoint } from '#core/host/points.ts'

/** A denied or failed mutation: references only, never what was submitted. */
export interface Outcome {
  readonly actor: string
  readonly action: string
  readonly resourceKind: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly outcome: 'denied' | 'error'
  readonly traceId: string
  readonly code: string
}

/** Takes outcomes; must not throw and is not waited for. */
export interface OutcomeSink {
  record(outcome: Outcome): void
}

/** Who is told of denied and failed mutations (the audit plugin). */
export const httpOutcome = definePoint<OutcomeSink>('http.outcome')
