/**
 * Resolves or rejects with the work, or rejects with `late()` after `ms` milliseconds. The timer keeps the process alive: with nothing else to
 * wait for, Node would exit before the error is seen. The work itself continues; its later error is dropped.
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(late()), ms)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
