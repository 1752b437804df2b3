import type { EventType, NewEvent } from '#core/event-store/event.ts'
import type { EntryKind } from '#schemas/runs/run.ts'
import type { RunFact } from './decide.ts'
import {
  cancelRequested,
  interruptResolved,
  runCancelled,
  runFailed,
  runPaused,
  runRejected,
  runRequeued,
  runResumed,
  runStarted,
  runSucceeded,
  runTimedOut,
  runWaiting,
} from '../contract/events.ts'
import type { JournalEntry } from './journal-entry.ts'

const facts: Readonly<Record<RunFact['fact'], { readonly type: EventType; readonly kind: EntryKind }>> = {
  started: { type: runStarted, kind: 'run.started' },
  requeued: { type: runRequeued, kind: 'run.queued' },
  waiting: { type: runWaiting, kind: 'run.waiting' },
  paused: { type: runPaused, kind: 'run.paused' },
  'interrupt-resolved': { type: interruptResolved, kind: 'interrupt.resolved' },
  resumed: { type: runResumed, kind: 'run.resumed' },
  'cancel-requested': { type: cancelRequested, kind: 'run.cancelling' },
  succeeded: { type: runSucceeded, kind: 'run.succeeded' },
  failed: { type: runFailed, kind: 'run.failed' },
  cancelled: { type: runCancelled, kind: 'run.cancelled' },
  'timed-out': { type: runTimedOut, kind: 'run.timed_out' },
  rejected: { type: runRejected, kind: 'run.rejected' },
}

/** The event of a fact: references only. */
export function toRunEvent(
  fact: RunFact,
  run: { readonly runId: string; readonly rootRunId: string },
  about: Pick<NewEvent, 'subject' | 'actor' | 'traceparent'>,
): NewEvent {
  const { fact: name, ...data } = fact
  return { ...about, type: facts[name].type, data: { runId: run.runId, ...data }, correlationId: run.rootRunId }
}

/** The journal entry of a fact. `content` has data that is stored in the journal only: output, error text, questions. */
export function toFactEntry(
  fact: RunFact,
  where: Pick<JournalEntry, 'ts' | 'path' | 'spanId'>,
  content: Readonly<Record<string, unknown>> = {},
): JournalEntry {
  const { fact: name, ...data } = fact
  return { ...where, kind: facts[name].kind, data: { ...data, ...content } }
}
