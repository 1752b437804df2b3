import type { ApiClient } from '#cli/contract/api-client.ts'
import { sleep } from '#core/async/sleep.ts'
import type { TracedRun } from './trace-tree.ts'

type Run = TracedRun['run']

const PAUSE_MS = 20
const waiting = new Set<Run['state']>(['queued', 'running', 'cancelling'])

/** Waits until a run has ended or is paused, at most for the given time. Rejects if the signal ends the session. */
export async function untilSettled(api: ApiClient, runId: string, signal: AbortSignal, mostMs: number): Promise<Run> {
  const began = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const run = await api.get<Run>(['runs', runId])
    if (!waiting.has(run.state) || performance.now() - began > mostMs) return run
    await sleep(PAUSE_MS, signal)
  }
}
