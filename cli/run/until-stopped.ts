import { signalCode, stopSignals } from '#cli/contract/stop-signal.ts'
import type { StopSignal } from '#cli/contract/stop-signal.ts'

// timeout(1) sends a signal to the process and to its group: it comes twice.
const ONE_STOP_MS = 1_000

/**
 * Resolves with the first signal that stops a command; SIGHUP comes from a terminal that closes. Another one of the same kind, after a second,
 * ends the process at once.
 */
export function untilStopped(): Promise<StopSignal> {
  return new Promise((resolve) => {
    const came = new Map<StopSignal, number>()
    const onSignal = (signal: StopSignal): void => {
      const first = came.get(signal) ?? performance.now()
      if (performance.now() - first > ONE_STOP_MS) process.exit(signalCode(signal))
      came.set(signal, first)
      resolve(signal)
    }
    for (const signal of stopSignals) process.on(signal, onSignal)
  })
}
