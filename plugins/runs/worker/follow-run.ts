import { sleep } from '#core/async/sleep.ts'
import type { FailReason, InvokeResult, LauncherEntry } from '#schemas/runs/run.ts'
import { usageReported } from '../contract/events.ts'
import { workedMs } from '../store/internal/journal.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { PreviewRule } from '../previews/preview-rule.ts'
import { LeaseLost, subjectOf, workerAuthor } from '../lifecycle/run-writer.ts'
import type { RunChange } from '../lifecycle/run-writer.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import type { WorkerServices } from './segment/worker-services.ts'
import { AgentFault } from './entries/agent-fault.ts'
import { createEntryBatcher, toJournalEntry } from './entries/entry-batcher.ts'
import type { EntryBatcher, NumberedEntry } from './entries/entry-batcher.ts'
import { LauncherRefused } from './connections/launcher-client.ts'
import type { LauncherClient } from './connections/launcher-client.ts'
import { createLimitMeter } from './entries/run-limits.ts'
import { createPartials } from './segment/partials.ts'
import { readUsage } from './entries/read-result.ts'
import { isResult, previewOf, resultOf, toResultChange } from './segment/record-result.ts'
import type { RevisionRecord } from './segment/record-revision.ts'

/** One attempt to follow a run. */
export interface FollowedAttempt {
  readonly claim: Claim
  readonly run: SelectedRun
  /** Whether this worker has just started the segment. */
  readonly isNew: boolean
  readonly launcher: LauncherClient
  readonly signal: AbortSignal
  readonly cancelled: AbortSignal
  readonly revision: RevisionRecord
  readonly previews: PreviewRule
}

// Together with the preceding commit, less than the 50 ms within which a delta must be live.
const gather = { entriesMs: 25, deltaMs: 5 }

/**
 * Copies the launcher's entries into the journal until the result of the segment, which is committed with the entries before it. Returns
 * undefined if this worker stops. Throws `AgentFault` for data or silence that ends the run; no entry is written after it.
 */
export async function followRun(
  services: WorkerServices,
  attempt: FollowedAttempt,
): Promise<'recorded' | FailReason | undefined> {
  const { run, claim } = attempt
  const stop = new AbortController()
  const signal = AbortSignal.any([attempt.signal, stop.signal])
  let failure: unknown
  let recorded: 'recorded' | undefined
  const partials = createPartials(services, run, claim.epoch > 1)
  const meter = createLimitMeter(services.limits, { storedBytes: claim.bytes, entries: claim.launcherN })
  const batcher = createEntryBatcher(
    {
      async commit(entries) {
        if (recorded) return
        const result = resultOf(entries)
        await commitEntries(services, attempt, entries, result)
        if (result) recorded = 'recorded'
        for (const entry of entries) partials.add(entry)
        partials.finished(entries)
      },
      delta(entry) {
        if (recorded) return
        partials.add(entry)
        services.live.frame(toDelta(run, entry))
      },
    },
    {
      after: claim.launcherN,
      count: meter.count,
      isLast: isResult,
      gather,
      onError: (error) => {
        failure ??= error
        stop.abort()
      },
    },
  )
  const end = (fault: AgentFault): void => {
    failure ??= fault
    stop.abort()
  }
  const cancelling = stopWhenCancelled(services, attempt, signal, () =>
    end(new AgentFault('cancel_timeout', 'The agent did not stop in time after the cancel.')),
  )
  const deadline = setTimeout(() => end(agentTimeout(services)), await leftMs(services, attempt))
  try {
    const ended = await followUntilResult(services, attempt, batcher, {
      signal,
      finished: () => recorded !== undefined,
    })
    await batcher.drained()
    if (failure) throw failure
    return recorded ?? ended
  } finally {
    clearTimeout(deadline)
    cancelling.end()
    stop.abort()
    // The last entries are committed before the caller writes the end of the run.
    await batcher.drained()
    await partials.close()
  }
}

// The launcher enforces limits.timeout of its agent. A launcher that fails to must not occupy the worker's capacity forever.
async function leftMs({ store, agentTimeoutMs }: WorkerServices, { run, isNew }: FollowedAttempt): Promise<number> {
  if (isNew) return agentTimeoutMs
  return Math.max(agentTimeoutMs - (await workedMs(store.reader<RunsTables>(), run.id)), 0)
}

function agentTimeout({ agentTimeoutMs }: WorkerServices): AgentFault {
  const limit = `${agentTimeoutMs / 1000} s (setting runs.agentTimeout)`
  return new AgentFault('agent_timeout', `The agent worked on the run for longer than ${limit}.`)
}

/** Forwards a cancel to the launcher. Calls `overdue` if the run has not ended `cancelPatienceMs` later. */
function stopWhenCancelled(
  { cancelPatienceMs }: WorkerServices,
  { launcher, cancelled }: FollowedAttempt,
  signal: AbortSignal,
  overdue: () => void,
): { end(): void } {
  let timer: NodeJS.Timeout | undefined
  const onCancel = (): void => {
    timer = setTimeout(overdue, cancelPatienceMs)
    // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
    void stopAtLauncher(launcher, signal)
  }
  cancelled.addEventListener('abort', onCancel, { once: true })
  if (cancelled.aborted) onCancel()
  return {
    end() {
      cancelled.removeEventListener('abort', onCancel)
      clearTimeout(timer)
    },
  }
}

/** Repeats the cancel until the launcher has answered, since a lost request would leave the agent running. */
async function stopAtLauncher(launcher: LauncherClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isAnswered = await launcher.cancel().then(
      () => true,
      // 404 and 409: the run is unknown there, or a newer worker has it. Following the run handles both.
      (error: unknown) => error instanceof LauncherRefused && (error.status === 404 || error.status === 409),
    )
    if (isAnswered) return
    await sleep(200, signal)
  }
}

/** Reconnects until the result has arrived, the launcher is silent for too long, or it does not know the run. */
async function followUntilResult(
  services: WorkerServices,
  attempt: FollowedAttempt,
  batcher: EntryBatcher,
  { signal, finished }: { readonly signal: AbortSignal; readonly finished: () => boolean },
): Promise<FailReason | undefined> {
  let silentSince: number | undefined
  while (!signal.aborted) {
    const before = batcher.seen()
    const outcome = await attempt.launcher
      .follow(before, { signal, maxEntryBytes: services.limits.runEntryBytes, onEntry: batcher.push })
      .catch((error: unknown): 'broken' => {
        // 409: a newer worker has the run, so this one could commit no further entry.
        if (error instanceof LauncherRefused && error.status === 409) throw new LeaseLost(attempt.run.id)
        if (error instanceof AgentFault) throw error
        return 'broken'
      })
    await batcher.drained()
    if (finished()) return undefined
    if (outcome === 'unknown' || (outcome === 'broken' && (await attempt.launcher.isGone()))) return 'lost_worker'
    if (batcher.seen() > before) silentSince = undefined
    silentSince ??= performance.now()
    if (performance.now() - silentSince > services.unreachableAfterMs) return 'agent_unreachable'
    await sleep(200, signal)
  }
  return undefined
}

async function commitEntries(
  services: WorkerServices,
  attempt: FollowedAttempt,
  batch: readonly LauncherEntry[],
  result: InvokeResult | undefined,
): Promise<void> {
  const { run, claim, revision, previews } = attempt
  const { entries, deltas } = toJournal(run, batch)
  const last = entries.at(-1)
  if (last === undefined && result === undefined) return sendAll(services, deltas)
  const preview = await previewOf(result, previews)
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => ({
    ...(result ? toResultChange(facts, result, preview) : { facts: [] }),
    entries: entries.map(toJournalEntry),
    deltas,
    events: [
      ...revision.pending(),
      // A model call that failed has no usage.
      ...entries
        .filter(({ kind, data }) => kind === 'usage.reported' && data['error'] === undefined)
        .map((entry) => toUsage(run, entry)),
    ],
    launcherN: last?.n,
  }))
  revision.written()
}

type Deltas = NonNullable<RunChange['deltas']>

/** The entries of a batch that are journaled, and the deltas before each of them. */
function toJournal(
  run: SelectedRun,
  batch: readonly LauncherEntry[],
): { readonly entries: readonly NumberedEntry[]; readonly deltas: Deltas } {
  const entries: NumberedEntry[] = []
  const deltas = new Map<number, readonly LiveFrame[]>()
  for (const entry of batch) {
    const { n, kind } = entry
    if (n === undefined) deltas.set(entries.length, [...(deltas.get(entries.length) ?? []), toDelta(run, entry)])
    // The state role has already written the decision; older launchers report it again (UXL4).
    else if (!kind.startsWith('run.') && kind !== 'interrupt.resolved') entries.push({ ...entry, n })
  }
  return { entries, deltas }
}

function sendAll({ live }: WorkerServices, deltas: Deltas): void {
  for (const frames of deltas.values()) for (const frame of frames) live.frame(frame)
}

function toUsage(run: SelectedRun, entry: LauncherEntry) {
  return {
    type: usageReported,
    subject: subjectOf(run),
    correlationId: run.root_run_id,
    data: {
      runId: run.id,
      agentUid: run.agent_uid ?? '',
      ...readUsage(entry.data['usage']),
      // Agents cannot name a route: the launcher writes it for calls that passed through it.
      ...(typeof entry.data['route'] === 'string' ? { gateway: true } : {}),
    },
  }
}

function toDelta(run: SelectedRun, entry: LauncherEntry) {
  const { ts, kind, path, spanId, data } = entry
  return { v: 1, runId: run.id, ts, kind, agent: run.agent_name, path, spanId, data } as const
}
