import type { FailReason, InvokeResult, LauncherEntry } from '#schemas/run.ts'
import { usageReported } from '../events.ts'
import { dropPartials, savePartials } from '../store/partials.ts'
import type { Claim } from '../store/system.ts'
import type { RunsTables, SelectedRun } from '../store/tables.ts'
import { LeaseLost, subjectOf } from '../write.ts'
import { workerAuthor } from './author.ts'
import type { DriveServices } from './drive-services.ts'
import { createIntake, type Intake, type NumberedEntry, toJournalEntry } from './intake.ts'
import { type LauncherClient, LauncherRefused } from './launcher-client.ts'
import { pause } from './pause.ts'
import { resultOf } from './result.ts'
import type { RevisionNote } from './revision.ts'

const partialEveryMs = 250

/** One attempt to follow a run. */
export interface Attempt {
  readonly claim: Claim
  readonly run: SelectedRun
  readonly launcher: LauncherClient
  readonly signal: AbortSignal
  readonly cancelled: AbortSignal
  readonly revision: RevisionNote
}

/** Follows the launcher's entries into the journal until the segment's result; undefined when this worker stops. */
export async function follow(
  services: DriveServices,
  attempt: Attempt,
): Promise<InvokeResult | FailReason | undefined> {
  const { run, launcher, claim } = attempt
  const stop = new AbortController()
  const signal = AbortSignal.any([attempt.signal, stop.signal])
  let failure: unknown
  let result: InvokeResult | undefined
  const partials = createPartials(services, run)
  const intake = createIntake(
    {
      async commit(entries) {
        result = resultOf(entries) ?? result
        await commitEntries(
          services,
          attempt,
          entries.filter((entry) => !entry.kind.startsWith('run.')),
        )
        partials.finished(entries)
      },
      delta(entry) {
        partials.add(entry)
        services.live.frame(toDelta(run, entry))
      },
    },
    claim.launcherN,
    (error) => {
      failure = error
      stop.abort()
    },
  )
  const onCancel = () => void stopAtLauncher(launcher, signal)
  attempt.cancelled.addEventListener('abort', onCancel, { once: true })
  if (attempt.cancelled.aborted) onCancel()
  try {
    const ended = await followUntilResult(services, attempt, intake, { signal, finished: () => result !== undefined })
    await intake.drained()
    if (failure) throw failure
    return result ?? ended
  } finally {
    attempt.cancelled.removeEventListener('abort', onCancel)
    stop.abort()
    await partials.close()
  }
}

/** Asks until the launcher has heard it: a cancel that got lost would leave the agent at work. */
async function stopAtLauncher(launcher: LauncherClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const heard = await launcher.cancel().then(
      () => true,
      // It does not know the run, or a newer worker has it: following tells what that means.
      (error: unknown) => error instanceof LauncherRefused && (error.status === 404 || error.status === 409),
    )
    if (heard) return
    await pause(200, signal)
  }
}

/** Connects again after a break until the result is there, the launcher is silent for too long or knows nothing. */
async function followUntilResult(
  services: DriveServices,
  attempt: Attempt,
  intake: Intake,
  { signal, finished }: { readonly signal: AbortSignal; readonly finished: () => boolean },
): Promise<FailReason | undefined> {
  let silentSince: number | undefined
  while (!signal.aborted) {
    const before = intake.seen()
    const outcome = await attempt.launcher
      .follow(before, { signal, onEntry: intake.push })
      .catch((error: unknown): 'broken' => {
        // 409: a newer worker has the run. It cut this one off, and nothing that is read from here on could be committed.
        if (error instanceof LauncherRefused && error.status === 409) throw new LeaseLost(attempt.run.id)
        return 'broken'
      })
    await intake.drained()
    if (finished()) return undefined
    if (outcome === 'unknown' || (outcome === 'broken' && (await attempt.launcher.isGone()))) return 'lost_worker'
    if (intake.seen() > before) silentSince = undefined
    silentSince ??= performance.now()
    if (performance.now() - silentSince > services.unreachableAfterMs) return 'agent_unreachable'
    await pause(200, signal)
  }
  return undefined
}

async function commitEntries(
  services: DriveServices,
  attempt: Attempt,
  entries: readonly NumberedEntry[],
): Promise<void> {
  const last = entries.at(-1)
  if (!last) return
  const { run, claim, revision } = attempt
  await services.writer.change(run.id, workerAuthor(claim, run), () => ({
    facts: [],
    entries: entries.map(toJournalEntry),
    events: [
      ...revision.pending(),
      ...entries.filter((entry) => entry.kind === 'usage.reported').map((entry) => toUsage(run, entry)),
    ],
    launcherN: last.n,
  }))
  revision.written()
}

function toUsage(run: SelectedRun, entry: LauncherEntry) {
  const given: unknown = entry.data['usage']
  const usage: Readonly<Record<string, unknown>> = typeof given === 'object' && given !== null ? { ...given } : {}
  const count = (name: string): number => {
    const value = usage[name]
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
  }
  return {
    type: usageReported,
    subject: subjectOf(run),
    correlationId: run.root_run_id,
    data: {
      runId: run.id,
      agentUid: run.agent_uid ?? '',
      inputTokens: count('inputTokens'),
      outputTokens: count('outputTokens'),
      cachedTokens: count('cachedTokens'),
      reasoningTokens: count('reasoningTokens'),
    },
  }
}

function toDelta(run: SelectedRun, entry: LauncherEntry) {
  const { ts, kind, path, spanId, data } = entry
  return { v: 1, runId: run.id, ts, kind, agent: run.agent_name, path, spanId, data } as const
}

/** Keeps the text so far of messages under way, and stores it every 250 ms for whoever joins in the middle. */
function createPartials(services: DriveServices, run: SelectedRun) {
  const texts = new Map<string, string>()
  const changed = new Set<string>()
  let flushing: Promise<void> = Promise.resolve()
  const flush = (): void => {
    const rows = [...changed].map((id) => ({ run_id: run.id, message_id: id, text: texts.get(id) ?? '' }))
    changed.clear()
    if (rows.length === 0) return
    // A lost partial costs a late joiner some text until the next one, never the run.
    flushing = flushing
      .then(() => services.store.transact<RunsTables, void>((tx) => savePartials(tx.db, rows)))
      .catch(() => undefined)
  }
  const timer = setInterval(flush, partialEveryMs)
  return {
    add(entry: LauncherEntry): void {
      if (entry.kind !== 'message.delta') return
      const { messageId, text } = entry.data
      if (typeof messageId !== 'string' || typeof text !== 'string') return
      texts.set(messageId, (texts.get(messageId) ?? '') + text)
      changed.add(messageId)
    },
    finished(entries: readonly LauncherEntry[]): void {
      for (const { kind, data } of entries) {
        const id = data['messageId']
        if (kind !== 'message.finished' || typeof id !== 'string' || !texts.delete(id)) continue
        changed.delete(id)
        flushing = flushing
          .then(() => services.store.transact<RunsTables, void>((tx) => dropPartials(tx.db, run.id, id)))
          .catch(() => undefined)
      }
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await flushing
    },
  }
}
