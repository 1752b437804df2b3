/** Sleeps, but not past an abort. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = (): void => resolve()
  const timer = setTimeout(wake, ms)
  signal?.addEventListener('abort', wake, { once: true })
  if (signal?.aborted) wake()
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', wake)
  })
}
