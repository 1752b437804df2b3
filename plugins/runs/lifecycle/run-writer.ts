import type { Actor, NewEvent } from '#core/event-store/event.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { StreamConflict } from '#core/event-store/streams.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { FailReason, RunState } from '#schemas/runs/run.ts'
import { decideCancel, isSettled, stateAfter } from './decide.ts'
import type { RunFact, RunFacts } from './decide.ts'
import { toRows } from './journal-entry.ts'
import { toFactEntry, toRunEvent } from './fact-to-event.ts'
import type { JournalEntry } from './journal-entry.ts'
import type { LiveUpdates, LiveFrame } from '../contract/live-frame.ts'
import { lockLeases, lockRun } from '../store/internal/lease.ts'
import { openChildren } from '../store/internal/open-children.ts'
import type { Claim, HeldRun, LockedRun } from '../store/internal/lease.ts'
import { writeRun } from '../store/internal/write-run.ts'
import type { QueueChange, RunWrite } from '../store/internal/write-run.ts'
import type { NewJournal, RunsTables, RunsTx, SelectedRun } from '../contract/tables.ts'
import { applyChange, toRowChange } from './run-row.ts'

/** Another process has the lease of the run. The write was rolled back. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Author of a change. For a worker, every write checks the epoch of its claim. */
export interface Author {
  readonly actor: Actor
  readonly epoch?: number
  readonly held?: HeldRun
  readonly traceparent?: string
}

const worker = { name: 'system:mesh:worker', kind: 'system' } as const

/** The author of a worker's writes: each write checks the epoch of the claim. */
export function workerAuthor({ epoch, held }: Pick<Claim, 'epoch' | 'held'>, run: SelectedRun): Author {
  return { actor: worker, epoch, ...(held && { held }), traceparent: traceparentOf(run) }
}

/** W3C trace context of a run: its own trace, and a span id derived from the run id. */
export function traceparentOf(run: Pick<SelectedRun, 'id' | 'trace_id'>): string {
  return `00-${run.trace_id}-${run.id.replaceAll('-', '').slice(16)}-01`
}

/** A change of a run: facts, journal entries before them, content of the entries of the facts, and further writes of the same transaction. */
export interface RunChange extends Pick<RunWrite, 'launcherN' | 'contentBytes' | 'segment' | 'stored'> {
  readonly facts: readonly RunFact[]
  readonly entries?: readonly JournalEntry[]
  readonly events?: readonly NewEvent[]
  readonly content?: Readonly<Partial<Record<RunFact['fact'], Readonly<Record<string, unknown>>>>>
  /** Live frames without a number that precede the frame of the entry of this index, or follow the last one. */
  readonly deltas?: ReadonlyMap<number, readonly LiveFrame[]>
  /** Further statements. */
  readonly also?: (db: RunsTx) => Promise<void>
}

/** Makes every change of a run: lock, decide, journal, events, queue; live frames after COMMIT. */
export interface RunWriter {
  /**
   * Returns undefined if the run does not exist. Throws `LeaseLost` if the author's epoch is not that of the lease. An author that holds the run
   * decides on its known state; if the run has changed since, `decide` is called again with the stored state.
   */
  change(runId: string, author: Author, decide: Decide): Promise<SelectedRun | undefined>
  /** As `change`, in the given transaction and always on the stored state. */
  changeIn(tx: Tx, runId: string, author: Author, decide: Decide): Promise<SelectedRun | undefined>
}

type Decide = (run: RunFacts, locked: LockedRun) => RunChange | Promise<RunChange>

/** A committed change of a run's state. */
export interface StateChange {
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
  readonly entered?: (change: StateChange) => void
}

/** Creates the writer. */
export function createRunWriter(store: Store, needs: WriterNeeds): RunWriter {
  const write = async (tx: Tx, locked: LockedRun, author: Author, decide: Decide): Promise<SelectedRun> =>
    apply(tx, { ...needs, author }, locked, await decide(toFacts(locked.run), locked))
  const changeIn: RunWriter['changeIn'] = async (tx, runId, author, decide) => {
    const locked = await lockRun(tx.tables<RunsTables>(), runId)
    if (!locked) return undefined
    if (author.epoch !== undefined && author.epoch !== locked.epoch) throw new LeaseLost(runId)
    return write(tx, locked, author, decide)
  }
  return {
    changeIn,
    change: async (runId, author, decide) => {
      const known = author.held?.run
      if (known !== undefined) {
        const written = await store.transact((tx) => write(tx, known, author, decide)).catch(unlessStale)
        if (written !== undefined) return written
      }
      return store.transact((tx) => changeIn(tx, runId, author, decide))
    },
  }
}

/** The stored run differs from the holder's known state. Rolls the transaction back. */
class StaleRun extends Error {
  override readonly name = 'StaleRun'
}

function unlessStale(error: unknown): undefined {
  if (error instanceof StaleRun || error instanceof StreamConflict) return undefined
  throw error
}

interface Services extends WriterNeeds {
  readonly author: Author
}

async function apply(tx: Tx, services: Services, locked: LockedRun, change: RunChange): Promise<SelectedRun> {
  const { run } = locked
  const { author, now } = services
  const ts = now()
  const at = { ts, path: [nameOfRun(run)], spanId: '' }
  const own = change.facts.map((fact) => toFactEntry(fact, at, change.content?.[fact.fact]))
  const entries = [...(change.entries ?? []), ...own]
  const rows = toRows(run.id, locked.journalSeq, entries)
  const state = change.facts.reduce((before, fact) => stateAfter(fact.fact, before), run.state)
  const queue = state === run.state ? undefined : queueAfter(state, locked, author)
  const db = tx.tables<RunsTables>()
  // Locked before the write, which locks the stored bytes that the children share.
  const children = endsChildren(run, state) ? await lockChildren(db, run.id) : []
  if (!(await writeRun(db, locked, { ...change, entries: rows, queue }))) throw new StaleRun(run.id)
  await change.also?.(db)
  const about = { subject: subjectOf(run), actor: author.actor, ...traceOf(author) }
  const facts = change.facts.map((fact) => toRunEvent(fact, { runId: run.id, rootRunId: run.root_run_id }, about))
  const events = [...(change.events ?? []), ...facts].map((event) => ({ time: ts, ...event }))
  if (events.length > 0) await tx.append(`runs/${run.id}`, run.version, events)
  for (const child of children) await endChild(tx, services, child)
  const after = rowAfter(run, events)
  tx.afterCommit(() => {
    if (author.held) author.held.run = toKnown(locked, after, { rows, queue, segment: change.segment })
    committed(services, locked, { change, entries, state })
  })
  return after
}

// The children of an agent's run end by a cancel only: an agent that handed over has ended.
function endsChildren(run: SelectedRun, state: RunState): boolean {
  return run.executor !== null && terminalStates.has(state) && !terminalStates.has(run.state)
}

/** Locks a run, so that it gets no further children, and its children that have not ended. */
async function lockChildren(db: RunsTx, runId: string): Promise<readonly string[]> {
  await lockRun(db, runId)
  const children = await openChildren(db, runId)
  await lockLeases(db, children)
  return children
}

async function endChild(tx: Tx, services: Services, runId: string): Promise<void> {
  const locked = await lockRun(tx.tables<RunsTables>(), runId)
  if (locked === undefined || isSettled(locked.run.state)) return
  const author = { actor: services.author.actor }
  await apply(tx, { ...services, author }, locked, { facts: decideCancel(toFacts(locked.run)) })
}

interface Committed {
  readonly change: RunChange
  readonly entries: readonly JournalEntry[]
  readonly state: RunState
}

/** Counts and publishes a committed change. */
function committed({ live, entered }: Services, locked: LockedRun, { change, entries, state }: Committed): void {
  const { run } = locked
  if (state !== run.state) entered?.({ run, state, ...failureOf(change.facts), launcher: locked.launcher?.id })
  for (let index = 0; index <= entries.length; index++) {
    for (const delta of change.deltas?.get(index) ?? []) live.frame(delta)
    const entry = entries[index]
    if (entry !== undefined) live.frame(toFrame(run, locked.journalSeq + 1 + index, entry))
  }
  if (change.facts.some(({ fact }) => wakes.has(fact))) live.wake(run.id)
}

/** The row after events, as the projection writes it. */
function rowAfter(run: SelectedRun, events: readonly (NewEvent & { readonly time: Date })[]): SelectedRun {
  return events.reduce((row, event, index) => {
    const placed = { ...event, actor: event.actor, type: event.type.type, version: run.version + 1 + index }
    const change = toRowChange(placed)
    return change === undefined ? row : applyChange(row, change)
  }, run)
}

/** The known state of a run's holder after its write. */
function toKnown(
  locked: LockedRun,
  run: SelectedRun,
  { rows, queue, segment }: { readonly rows: readonly NewJournal[] } & Pick<RunWrite, 'queue' | 'segment'>,
): LockedRun {
  const place = segment?.start && { ...segment.start.launcher, segment: segment.segment }
  return {
    ...locked,
    run,
    journalSeq: rows.at(-1)?.seq ?? locked.journalSeq,
    leaseState: queue?.state ?? locked.leaseState,
    launcher: segment === undefined ? locked.launcher : (place ?? null),
  }
}

function failureOf(facts: readonly RunFact[]): Pick<StateChange, 'failReason'> {
  const failed = facts.find((fact) => 'failReason' in fact)
  return { failReason: failed && 'failReason' in failed ? failed.failReason : undefined }
}

/** Facts that notify the workers. */
const wakes: ReadonlySet<RunFact['fact']> = new Set(['resumed', 'cancel-requested'])

/** The queue after a change of state. A worker keeps its lease after a cancel request, since it stops the agent. */
function queueAfter(state: RunState, { leaseState }: LockedRun, author: Author): QueueChange | undefined {
  if (terminalStates.has(state)) return { state: 'done', keep: false }
  if (state === 'paused') return { state: 'waiting', keep: false }
  if (leaseState !== 'ready') return { state: 'ready', keep: false }
  return author.epoch === undefined ? { state: 'ready', keep: true } : undefined
}

/** The state of a run as input of a decision. */
export function toFacts(run: SelectedRun): RunFacts {
  const { state, started, segment, open_interrupts: interrupts, wait_reason: waitReason } = run
  return { state, started, segment, interrupts, waitReason }
}

/** Name of the agent of a run, or the kind of a run without an agent. */
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
