import { sleep } from '#core/async/sleep.ts'
import type { CliInput } from '#cli/contract/command.ts'
import type { StopSignal } from '#cli/contract/stop-signal.ts'

/** A signal stopped the evaluation. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly signal: StopSignal
  constructor(signal: StopSignal) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

/** Whether a signal has come. Writes are awaited, waits end at once. */
export interface StopWatch {
  /** Throws `Stopped` after a signal. */
  check(): void
  /** Waits. Throws `Stopped` at a signal. */
  pause(ms: number): Promise<void>
}

/** Watches for the signals that stop a command. */
export function watchForStop({ untilStopped }: Pick<CliInput, 'untilStopped'>): StopWatch {
  const stop = new AbortController()
  let signal: StopSignal | undefined
  const onSignal = (came: StopSignal): void => {
    signal = came
    stop.abort()
  }
  // It never rejects.
  untilStopped().then(onSignal, () => undefined)
  const check = (): void => {
    if (signal !== undefined) throw new Stopped(signal)
  }
  return {
    check,
    pause: async (ms) => {
      check()
      await sleep(ms, stop.signal)
      check()
    },
  }
}
