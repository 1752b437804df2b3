import type { Job } from './objects.ts'

/** The pods of a Job, counted. */
export interface JobCount {
  readonly active: number
  readonly ready: number
  readonly succeeded: number
  readonly failed: number
  readonly outcome: 'complete' | 'failed' | undefined
  readonly now: Date
}

/** The status that the Job controller would write. Pure. */
export function jobStatus(job: Job, count: JobCount) {
  const time = count.now.toISOString().replace(/\.\d+Z$/, 'Z')
  const condition = (type: string, reason: string) => ({
    type,
    status: 'True',
    reason,
    message: reason,
    lastProbeTime: time,
    lastTransitionTime: time,
  })
  // The API server wants each end announced by the condition that leads to it.
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
