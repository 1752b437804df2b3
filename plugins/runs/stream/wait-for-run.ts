import type { Caller } from '#core/cluster/caller.ts'
import { createSignal } from '#core/async/signal.ts'
import { terminalStates } from '#schemas/run.ts'
import type { LiveUpdates } from './live-frame.ts'
import type { RunDetail } from '../read/to-run.ts'
import type { CallerRuns } from '../caller-runs.ts'

const pollMs = 500

/** Waits until a run has ended or is paused. Returns undefined after `timeoutMs` or when the client disconnects. */
export async function waitForRun(
  services: { readonly runs: Pick<CallerRuns, 'get'>; readonly live: LiveUpdates },
  caller: Caller,
  id: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<RunDetail | undefined> {
  const changed = createSignal()
  const subscription = await services.live.onFrame(id, (frame) => {
    if (frame.kind.startsWith('run.')) changed.notify()
  })
  const deadline = performance.now() + options.timeoutMs
  try {
    for (;;) {
      const run = await services.runs.get(caller, id)
      if (terminalStates.has(run.state) || run.state === 'paused') return run
      const left = deadline - performance.now()
      if (left <= 0 || options.signal.aborted) return undefined
      // Frames may be lost, so the run is polled, too.
      await changed.wait(Math.min(pollMs, left), options.signal)
    }
  } finally {
    await subscription.stop()
  }
}
