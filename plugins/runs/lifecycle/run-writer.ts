import type { Actor, NewEvent } from '#core/event-store/event.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { terminalStates } from '#schemas/run.ts'
import type { FailReason, RunState } from '#schemas/run.ts'
import { stateAfter } from './decide.ts'
import type { RunFact, RunFacts } from './decide.ts'
import { toFactEntry, toRunEvent, toRows } from './journal.ts'
import type { JournalEntry } from './journal.ts'
import type { LiveUpdates, LiveFrame } from '../stream/live-frame.ts'
import { dropPartials } from '../store/partials.ts'
import { appendJournal } from '../store/internal/journal.ts'
import { lockRun, setLease } from '../store/internal/lease.ts'
import type { Claim, LockedRun } from '../store/internal/lease.ts'
import type { RunsTables, RunsTx, SelectedRun } from '../store/tables.ts'

/** Another process has the lease of the run. The write was rolled back. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Author of a change. For a worker, every write checks the epoch of its claim. */
export interface Author {
  readonly actor: Actor
  readonly epoch?: number
  readonly traceparent?: string
}

const worker = { name: 'system:mesh:worker', kind: 'system' } as const

/** The author of a worker's writes: each write checks the epoch of the claim. */
export function workerAuthor({ epoch }: Pick<Claim, 'epoch'>, run: SelectedRun): Author {
  return { actor: worker, epoch, traceparent: traceparentOf(run) }
}

/** W3C trace context of a run: its own trace, and a span id derived from the run id. */
export function traceparentOf(run: Pick<SelectedRun, 'id' | 'trace_id'>): string {
  return `00-${run.trace_id}-${run.id.replaceAll('-', '').slice(16)}-01`
}

/** A change of a run: facts, journal entries before them, content of the entries of the facts, and further statements. */
export interface RunChange {
  readonly facts: readonly RunFact[]
  readonly entries?: readonly JournalEntry[]
  readonly events?: readonly NewEvent[]
  readonly content?: Readonly<Partial<Record<RunFact['fact'], Readonly<Record<string, unknown>>>>>
  readonly launcherN?: number
  /** Bytes that `also` stores beside the journal. */
  readonly contentBytes?: number
  readonly also?: (db: RunsTx) => Promise<void>
}

/** Makes every change of a run: lock, decide, journal, events, queue; live frames after COMMIT. */
export interface RunWriter {
  /** Returns undefined if the run does not exist. Throws `LeaseLost` if the author's epoch is not that of the lease. */
  change(runId: string, author: Author, decide: Decide): Promise<SelectedRun | undefined>
  /** As `change`, in the given transaction. */
  changeIn(tx: Tx, runId: string, author: Author, decide: Decide): Promise<SelectedRun | undefined>
}

type Decide = (run: RunFacts, locked: LockedRun) => RunChange | Promise<RunChange>

/** A committed change of a run's state. */
export interface StateEntered {
  readonly run: SelectedRun
  readonly state: RunState
  readonly failReason: FailReason | undefined
  /** Id of the launcher that had the last segment. */
  readonly launcher: string | undefined
}

/** Dependencies of a writer. `now` gives the time of journal entries, not their order. `entered` is called after COMMIT. */
export interface WriterNeeds {
  readonly live: LiveUpdates
  readonly now: () => Date
  readonly entered?: (change: StateEntered) => void
}

/** Creates the writer. */
export function createRunWriter(store: Store, needs: WriterNeeds): RunWriter {
  const changeIn: RunWriter['changeIn'] = async (tx, runId, author, decide) => {
    const locked = await lockRun(tx.tables<RunsTables>(), runId)
    if (!locked) return undefined
    if (author.epoch !== undefined && author.epoch !== locked.epoch) throw new LeaseLost(runId)
    const change = await decide(toFacts(locked.run), locked)
    return apply(tx, { ...needs, author }, locked, change)
  }
  return {
    changeIn,
    change: (runId, author, decide) => store.transact((tx) => changeIn(tx, runId, author, decide)),
  }
}

interface Services extends WriterNeeds {
  readonly author: Author
}

async function apply(tx: Tx, { live, now, author, entered }: Services, locked: LockedRun, change: RunChange) {
  const { run } = locked
  const at = { ts: now(), path: [nameOfRun(run)], spanId: '' }
  const own = change.facts.map((fact) => toFactEntry(fact, at, change.content?.[fact.fact]))
  const entries = [...(change.entries ?? []), ...own]
  const rows = toRows(run.id, locked.journalSeq, entries)
  const { launcherN, contentBytes } = change
  const db = tx.tables<RunsTables>()
  await appendJournal(db, run.id, rows, { launcherN, contentBytes })
  await change.also?.(db)
  const state = change.facts.reduce((before, fact) => stateAfter(fact.fact, before), run.state)
  if (state !== run.state) await queue(db, locked, author, state)
  const about = { subject: subjectOf(run), actor: author.actor, ...traceOf(author) }
  const facts = change.facts.map((fact) => toRunEvent(fact, { runId: run.id, rootRunId: run.root_run_id }, about))
  const events = [...(change.events ?? []), ...facts]
  if (events.length > 0) await tx.append(`runs/${run.id}`, run.version, events)
  tx.afterCommit(() => {
    if (state !== run.state) entered?.({ run, state, ...failureOf(change.facts), launcher: locked.launcher?.id })
    entries.forEach((entry, index) => live.frame(toFrame(run, locked.journalSeq + 1 + index, entry)))
    if (change.facts.some(({ fact }) => wakes.has(fact))) live.wake(run.id)
  })
  return { ...run, state }
}

function failureOf(facts: readonly RunFact[]): Pick<StateEntered, 'failReason'> {
  const failed = facts.find((fact) => 'failReason' in fact)
  return { failReason: failed && 'failReason' in failed ? failed.failReason : undefined }
}

/** Facts that notify the workers. */
const wakes: ReadonlySet<RunFact['fact']> = new Set(['resumed', 'cancel-requested'])

/** Updates the queue after a change of state. A worker keeps its lease after a cancel request, since it stops the agent. */
async function queue(db: RunsTx, locked: LockedRun, author: Author, state: SelectedRun['state']): Promise<void> {
  const { run } = locked
  if (terminalStates.has(state)) {
    await setLease(db, run.id, 'done', false)
    await dropPartials(db, run.id)
  } else if (state === 'paused') await setLease(db, run.id, 'waiting', false)
  else if (locked.leaseState !== 'ready') await setLease(db, run.id, 'ready', false)
  else if (author.epoch === undefined) await setLease(db, run.id, 'ready', true)
}

/** The state of a run as input of a decision. */
export function toFacts(run: SelectedRun): RunFacts {
  return { state: run.state, started: run.started, segment: run.segment, interrupts: run.open_interrupts }
}

/** Name of the agent of a run, or the kind of one without. */
export function nameOfRun(run: Pick<SelectedRun, 'agent_name' | 'executor'>): string {
  return run.agent_name ?? run.executor ?? ''
}

/** Subject of the events of a run. */
export function subjectOf(run: SelectedRun): NewEvent['subject'] {
  return { namespace: run.namespace, kind: 'Run', name: run.id, namespaceUid: run.namespace_uid, uid: run.id }
}

function traceOf(author: Author): Pick<NewEvent, 'traceparent'> {
  return author.traceparent === undefined ? {} : { traceparent: author.traceparent }
}

function toFrame(run: SelectedRun, seq: number, entry: JournalEntry): LiveFrame {
  const { ts, kind, path, spanId, data } = entry
  return { v: 1, seq, runId: run.id, ts: ts.toISOString(), kind, agent: run.agent_name, path, spanId, data }
}
