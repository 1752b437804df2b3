import { longTimeout } from './long-timeout.ts'

/**
 * Waits `ms` milliseconds, or until the signal aborts; never rejects. With `ref: false` the process may end meanwhile.
 */
export function sleep(
  ms: number,
  signal?: AbortSignal,
  { ref = true }: { readonly ref?: boolean } = {},
): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = longTimeout(done, ms)
    if (!ref) timer.unref()
    signal?.addEventListener('abort', done, { once: true })
  })
}
