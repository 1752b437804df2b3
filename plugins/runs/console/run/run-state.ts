import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'

/** A run with its input and output. */
export type RunOfPage = Static<typeof Run>

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'rejected'])

/** Whether a run goes on, also one that waits for a decision. */
export function isOpenRun(run: Pick<RunOfPage, 'state'> | undefined): boolean {
  return run !== undefined && !ended.has(run.state)
}

/** Milliseconds that a run has taken which goes on now. 0 for one that has ended or waits for a person, whose length is that of its spans. */
export function elapsedOf(run: Pick<RunOfPage, 'state' | 'startedAt' | 'createdAt'>, now: number): number {
  if (!isOpenRun(run) || run.state === 'paused') return 0
  return Math.max(1, now - Date.parse(run.startedAt ?? run.createdAt))
}
