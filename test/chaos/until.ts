import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Polls until `holds` returns a value other than undefined or false. Throws after the deadline with `what`. A probe that throws is
 * repeated.
 */
export async function until<T>(
  what: string,
  holds: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs
  let last: unknown
  for (;;) {
    try {
      const found = await holds()
      if (found !== undefined && found !== false) return found
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`, { cause: last })
    await sleep(25)
  }
}

/** Milliseconds until `holds`, measured as by `until`. */
export async function timed(what: string, holds: Parameters<typeof until>[1], deadlineMs?: number): Promise<number> {
  const started = performance.now()
  await until(what, holds, deadlineMs)
  return performance.now() - started
}
