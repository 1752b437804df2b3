import type { Caller } from '#core/cluster/access.ts'
import { terminalStates } from '#schemas/run.ts'
import type { Live } from './live.ts'
import type { Run } from './run.ts'
import type { Runs } from './runs.ts'
import { pause } from './worker/pause.ts'

const pollMs = 500

/** Waits until a run has ended or waits for a person; undefined when `timeoutMs` passes or the client goes away. */
export async function waitForRun(
  services: { readonly runs: Pick<Runs, 'get'>; readonly live: Live },
  caller: Caller,
  id: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Run | undefined> {
  const bell = new EventTarget()
  const subscription = await services.live.onFrame(id, (frame) => {
    if (frame.kind.startsWith('run.')) bell.dispatchEvent(new Event('ring'))
  })
  const deadline = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)])
  try {
    for (;;) {
      const rung = Promise.withResolvers<void>()
      bell.addEventListener('ring', () => rung.resolve(), { once: true })
      const run = await services.runs.get(caller, id)
      if (terminalStates.has(run.state) || run.state === 'paused') return run
      if (deadline.aborted) return undefined
      // Frames may be lost: the poll finds what they would have said.
      await Promise.race([rung.promise, pause(pollMs, deadline)])
    }
  } finally {
    await subscription.stop()
  }
}
