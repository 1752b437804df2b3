import { createSignal } from '#core/async/signal.ts'
import type { Signal } from '#core/async/signal.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { LiveUpdates } from '../contract/live-frame.ts'
import { behindKind } from './live-updates.ts'
import type { RunDetail } from '../contract/run.ts'

// Frames may be lost, so the run is also polled, less often the longer it takes.
const firstPollMs = 500
const maxPollMs = 5_000

/** Frames after which a run may have ended or be paused. The last kind replaces a frame that is too large. */
const ends: ReadonlySet<string> = new Set([...[...terminalStates, 'paused'].map((state) => `run.${state}`), behindKind])

/** Subscription to the end of a run, which may be opened before the run exists. */
export interface EndSubscription {
  readonly runId: string
  /** Rejects if the bus refused the subscription. */
  readonly opened: Promise<unknown>
  readonly ended: Signal
  stop(): Promise<void>
}

/** Subscribes to the end of a run. */
export function subscribeToEnd(live: LiveUpdates, runId: string): EndSubscription {
  const ended = createSignal()
  const opened = live.onFrame(runId, ({ kind }) => {
    if (ends.has(kind)) ended.notify()
  })
  const stop = (): Promise<void> =>
    opened.then(
      (subscription) => subscription.stop(),
      () => undefined,
    )
  return { runId, opened, ended, stop }
}

/** A wait for a run to end or to pause. */
export interface RunWait {
  /** Reads the run with the reader's current rights. */
  read(): Promise<RunDetail>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** A subscription that was opened before the run was created: the first read can then wait for a frame. The caller stops it. */
  readonly since?: EndSubscription | undefined
}

/** Waits until a run has ended or is paused. Returns undefined after `timeoutMs` or when the client disconnects. */
export async function waitForRun(
  live: LiveUpdates,
  id: string,
  { read, timeoutMs, signal, since }: RunWait,
): Promise<RunDetail | undefined> {
  const isNew = since?.runId === id
  const subscription = isNew ? since : subscribeToEnd(live, id)
  const deadline = performance.now() + timeoutMs
  try {
    await subscription.opened
    for (let pollMs = isNew ? firstPollMs : 0; ; pollMs = Math.min(Math.max(pollMs * 2, firstPollMs), maxPollMs)) {
      const left = Math.max(deadline - performance.now(), 0)
      if (pollMs > 0) await subscription.ended.wait(Math.min(pollMs, left), signal)
      const run = await read()
      if (terminalStates.has(run.state) || run.state === 'paused') return run
      if (performance.now() >= deadline || signal.aborted) return undefined
    }
  } finally {
    if (!isNew) await subscription.stop()
  }
}
