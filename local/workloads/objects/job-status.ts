import type { LocalJob } from './workload-objects.ts'

/** Pod counts of a Job. */
export interface JobCount {
  readonly active: number
  readonly ready: number
  readonly succeeded: number
  readonly failed: number
  readonly outcome: 'complete' | 'failed' | undefined
  readonly now: Date
}

/** The status as the Job controller writes it. Pure. */
export function jobStatus(job: LocalJob, count: JobCount) {
  const time = count.now.toISOString().replace(/\.\d+Z$/, 'Z')
  const condition = (type: string, reason: string) => ({
    type,
    status: 'True',
    reason,
    message: reason,
    lastProbeTime: time,
    lastTransitionTime: time,
  })
  // The API server requires the condition that precedes each final condition.
  const conditions = {
    complete: [condition('SuccessCriteriaMet', 'CompletionsReached'), condition('Complete', 'CompletionsReached')],
    failed: [condition('FailureTarget', 'BackoffLimitExceeded'), condition('Failed', 'BackoffLimitExceeded')],
  }
  return {
    startTime: job.status?.['startTime'] ?? time,
    active: count.active,
    ready: count.ready,
    ...(count.succeeded === 0 ? {} : { succeeded: count.succeeded }),
    ...(count.failed === 0 ? {} : { failed: count.failed }),
    ...(count.outcome === undefined
      ? {}
      : { conditions: conditions[count.outcome], active: 0, ready: 0, uncountedTerminatedPods: {} }),
    ...(count.outcome === 'complete' ? { completionTime: time } : {}),
  }
}
