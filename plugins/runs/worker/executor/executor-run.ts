import { terminalStates } from '#schemas/runs/run.ts'
import type { LauncherEntry, Resolution } from '#schemas/runs/run.ts'
import { LeaseLost, nameOfRun, traceparentOf, workerAuthor } from '../../lifecycle/run-writer.ts'
import type { ChildRun, ExecutorChange, ExecutorEntry, ExecutorRun } from '../../contract/points.ts'
import { readChildTools, readChildren, saveCheckpoint } from '../../store/internal/executor-content.ts'
import type { Claim } from '../../store/internal/lease.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { AgentFault, invalid } from '../entries/agent-fault.ts'
import { toJournalEntry } from '../entries/entry-batcher.ts'
import { createLimitMeter, exceeded } from '../entries/run-limits.ts'
import { readEntry } from '../entries/read-entry.ts'
import type { WorkerServices } from '../segment/worker-services.ts'
import { toJson } from './executor-json.ts'
import type { ProgressReports } from './progress.ts'

/** Content of a run that its executor reads. */
export interface StoredContent {
  readonly input: unknown
  readonly checkpoint: unknown
  readonly resolutions: readonly Resolution[]
  readonly deadline: Date | null
  grant_token: string
}

/** A claimed run without an agent. */
export interface ExecutorAttempt {
  readonly claim: Claim
  readonly run: SelectedRun
  readonly content: StoredContent
  /** Aborts when this worker stops. */
  readonly signal: AbortSignal
  readonly cancel: AbortController
}

/** End of a call: `signal` aborts it, `end` aborts it with its reason. */
export interface CallEnd {
  readonly signal: AbortSignal
  end(reason: unknown): void
  readonly progress: ProgressReports
}

/** Creates the argument of an executor. Its writes throw `LeaseLost` once the call has ended. */
export function createExecutorRun(services: WorkerServices, attempt: ExecutorAttempt, over: CallEnd): ExecutorRun {
  const { claim, run, content, cancel } = attempt
  const save = createSave(services, attempt, over)
  return {
    id: run.id,
    kind: run.executor ?? '',
    namespace: run.namespace,
    subject: run.subject,
    conversationId: run.conversation_id,
    labels: run.labels,
    traceparent: traceparentOf(run),
    deadline: content.deadline ?? undefined,
    input: content.input,
    epoch: claim.epoch,
    segment: run.segment,
    checkpoint: content.checkpoint,
    resolutions: content.resolutions,
    signal: over.signal,
    cancelled: cancel.signal,
    save: (change) =>
      save(change).catch((error: unknown) => {
        // The call ends even if the executor ignores the rejection.
        if (error instanceof AgentFault || error instanceof LeaseLost) over.end(error)
        throw error
      }),
    prepareChild: async (request) => {
      over.signal.throwIfAborted()
      if (services.prepareChild === undefined) throw new Error('this worker prepares no runs')
      return services.prepareChild({ run, epoch: claim.epoch, signal: over.signal }, request)
    },
    queueChild: async (tx, prepared) => {
      if (services.queueChild === undefined) throw new Error('this worker queues no runs')
      return services.queueChild(tx, prepared, run.id)
    },
    progress: over.progress.report,
    children: async (ids) => (await readChildren(services.store.reader<RunsTables>(), run.id, ids)).map(toChild),
    toolsOf: (childId) => readChildTools(services.store.reader<RunsTables>(), run.id, childId),
  }
}

function createSave(
  { limits, store, writer }: WorkerServices,
  { claim, run, content }: ExecutorAttempt,
  { signal }: CallEnd,
): (change: ExecutorChange) => Promise<void> {
  const meter = createLimitMeter(limits, { storedBytes: claim.bytes, entries: claim.launcherN })
  let written = claim.launcherN
  let checkpointBytes = bytesOf(JSON.stringify(content.checkpoint ?? null))
  return async ({ entries = [], checkpoint, also }) => {
    const journal = entries.map((entry, index) => toEntry(run, entry, written + index + 1))
    const text = checkpoint === undefined ? undefined : toJson(checkpoint, 'checkpoint').text
    for (const { entry, bytes } of journal) meter.count(entry, bytes)
    const bytes = text === undefined ? checkpointBytes : bytesOf(text)
    if (bytes > limits.runEntryBytes) throw exceeded('runEntryBytes', limits)
    await store.transact(async (tx) => {
      await writer.changeIn(tx, run.id, workerAuthor(claim, run), ({ state }) => {
        if (signal.aborted || terminalStates.has(state) || state === 'paused') throw new LeaseLost(run.id)
        return {
          facts: [],
          entries: journal.map(({ entry }) => toJournalEntry(entry)),
          launcherN: written + journal.length,
          contentBytes: bytes - checkpointBytes,
          ...(text === undefined ? {} : { also: (db) => saveCheckpoint(db, run.id, text) }),
        }
      })
      await also?.(tx)
    })
    written += journal.length
    checkpointBytes = bytes
  }
}

// Validated like entries of a launcher; results are returned, not journaled.
function toEntry(
  run: SelectedRun,
  { kind, spanId = '', data }: ExecutorEntry,
  n: number,
): { readonly entry: LauncherEntry; readonly bytes: number } {
  if (kind.startsWith('run.') || kind.endsWith('.delta')) throw invalid('kind', 'must be one of an executor')
  const { text } = toJson({ n, ts: new Date().toISOString(), kind, path: [nameOfRun(run)], spanId, data }, 'the entry')
  return { entry: readEntry(text), bytes: bytesOf(text) }
}

function toChild(row: Awaited<ReturnType<typeof readChildren>>[number]): ChildRun {
  const { id: runId, state, output, error, fail_reason: failReason, micros, currency, mixed } = row
  const cost = micros === null || currency === null || mixed === true ? null : { micros: BigInt(micros), currency }
  return { runId, state, output, error, failReason, cost }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text)
}
