import type { Claim } from '../store/internal/lease.ts'
import type { SelectedRun } from '../store/tables.ts'
import type { Author } from '../write.ts'

const worker = { name: 'system:mesh:worker', kind: 'system' } as const

/** The author of a worker's writes: every one checks the epoch of the claim. */
export function workerAuthor(claim: Claim, run: SelectedRun): Author {
  return { actor: worker, epoch: claim.epoch, traceparent: traceparentOf(run) }
}

/** W3C trace context of a run: its own trace, and a span id that follows from the run's id. */
export function traceparentOf(run: Pick<SelectedRun, 'id' | 'trace_id'>): string {
  return `00-${run.trace_id}-${run.id.replaceAll('-', '').slice(16)}-01`
}
