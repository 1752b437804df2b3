import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer } from '#test/flows/platform/send.ts'

/** A request of a load, with or without a response. */
export interface Sample {
  /** `performance.now()` at the time of sending. */
  readonly at: number
  readonly ms: number
  /** 0 without a response. */
  readonly status: number
  /** Why there was no response. */
  readonly error?: string
  readonly retryAfter?: string
}

/** A load in progress. */
export interface OpenLoop {
  readonly samples: readonly Sample[]
  /** Stops sending. Resolves with every sample when all requests have ended. */
  stop(): Promise<readonly Sample[]>
}

/** Parts of a response that a load uses. */
export type LoadAnswer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>> }

/**
 * Sends `perSecond` requests however slow the responses, like independent callers. With `most`, it sends none while as many have no
 * response yet: a machine that is too slow for the rate gets less load instead of a queue that grows.
 */
export function startOpenLoop(
  perSecond: number,
  request: (n: number) => Promise<LoadAnswer>,
  most = Number.POSITIVE_INFINITY,
): OpenLoop {
  const stopped = new AbortController()
  const samples: Sample[] = []
  const waiting = new Set<Promise<void>>()
  const loop = async (): Promise<void> => {
    const started = performance.now()
    for (let sent = 0, left = 0; !stopped.signal.aborted;) {
      const due = Math.floor(((performance.now() - started) / 1_000) * perSecond)
      for (; sent + left < due; sent++) {
        if (waiting.size >= most) {
          // Not made up for later, which would be a burst.
          left = due - sent
          break
        }
        const one: Promise<void> = sample(() => request(sent))
          .then((found) => void samples.push(found))
          .finally(() => waiting.delete(one))
        waiting.add(one)
      }
      await sleep(5)
    }
  }
  const running = loop()
  return {
    samples,
    stop: async () => {
      stopped.abort()
      await running
      await Promise.all(waiting)
      return samples
    },
  }
}

/** Sends one request and returns its sample. */
export async function sample(request: () => Promise<LoadAnswer>): Promise<Sample> {
  const at = performance.now()
  try {
    const { status, headers } = await request()
    const retryAfter = headers['retry-after']
    return { at, ms: performance.now() - at, status, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) }
  } catch (error) {
    const code = error instanceof NoAnswer ? reasonOf(error) : String(error)
    return { at, ms: performance.now() - at, status: 0, error: code }
  }
}

function reasonOf({ code, kept, written, answered }: NoAnswer): string {
  const when = answered ? 'within the answer' : written ? 'before the answer' : 'before it was written'
  return `${code} of a ${kept ? 'kept' : 'fresh'} connection ${when}`
}

/** A percentile (0 to 1) of numbers; NaN for none. */
export function percentile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}
