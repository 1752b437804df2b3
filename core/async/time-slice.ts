import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work between two turns of the event loop. */
const SLICE_MS = 8

/** Creates a pause for long work: undefined while its time slice lasts, else a promise that resolves after a turn of the event loop. */
export function createPause(): () => Promise<void> | undefined {
  let since = performance.now()
  const pause = async (): Promise<void> => {
    await setImmediate()
    since = performance.now()
  }
  return () => (performance.now() - since < SLICE_MS ? undefined : pause())
}
