import { msToDuration } from '#schemas/values/duration.ts'
import { decideBusy, decideStart } from '../../lifecycle/decide.ts'
import { workerAuthor } from '../../lifecycle/run-writer.ts'
import type { Claim } from '../../store/internal/lease.ts'
import type { SegmentStart } from '../../store/internal/write-run.ts'
import { waitedMs } from '../../store/internal/queue-time.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import type { WorkerServices } from './worker-services.ts'

const minBackOffMs = 1_000
const maxBackOffMs = 60_000

/**
 * Commits the start of the segment, with ticket and pod, before the agent is invoked. A worker that takes over has only this ticket and cannot start
 * the segment a second time (O6). The ticket is replaced only after every invocation with it was refused. Until this commit no other process has
 * claimed the run, so none has the former ticket. A segment of an executor has neither ticket nor pod.
 */
export async function commitStart(
  services: WorkerServices,
  claim: Claim,
  run: SelectedRun,
  start?: SegmentStart,
): Promise<boolean> {
  const segment = run.segment + 1
  let isStarted = false
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => {
    const started = decideStart(facts, claim.epoch)
    isStarted = started.length > 0 || (facts.state === 'running' && facts.segment === segment)
    return { facts: started, ...(isStarted ? { segment: { segment, start } } : {}) }
  })
  return isStarted
}

/** Requeues the run of a busy agent, with a delay that grows with the time it has waited; the run's time limit continues to apply. */
export async function requeue(
  services: WorkerServices,
  claim: Claim,
  run: SelectedRun,
  timeoutMs = Infinity,
): Promise<number | undefined> {
  const waited = await waitedMs(services.store.reader<RunsTables>(), run.id)
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => {
    const decided = decideBusy(facts, waited >= timeoutMs)
    const over = decided.some(({ fact }) => fact !== 'requeued')
    const message = `waited longer than limits.timeout (${msToDuration(timeoutMs)}) for an agent that was busy with other runs`
    const isLate = decided.some(({ fact }) => fact === 'timed-out')
    return {
      facts: decided,
      content: { 'timed-out': { message } },
      ...(over ? { stored: isLate ? { error: message } : {} } : { segment: { segment: run.segment } }),
    }
  })
  return Math.min(Math.max(waited / 2, minBackOffMs), maxBackOffMs, Math.max(timeoutMs - waited, 0))
}
