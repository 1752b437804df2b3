import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from './http/listener.ts'
import type { Route } from './http/listener.ts'

/** What the kubelet asks, without credentials: no answer carries content, no request changes anything. */
export interface ProbeRoutesOptions {
  /** Whether the agent's container shall live on. */
  readonly alive: () => boolean
  /** Resolves when every run has ended and its result was read. */
  readonly idle: () => Promise<void>
  /** Longest wait for that, in milliseconds. */
  readonly idleMs: number
}

// As long as workers may still send runs to a pod that ends: they keep the slices for a second.
const leavingMs = 3_000

/**
 * `/livez`: every port is bound. `/agent/livez`: the liveness probe of the agent's container. `/idle`: its preStop hook,
 * answered once the runs have ended (P3).
 */
export function probeRoutes({ alive, idle, idleMs }: ProbeRoutesOptions): readonly Route[] {
  // One wait for all who ask: the agent may ask as often as it likes.
  let waiting: Promise<void> | undefined
  const settled = (): Promise<void> => (waiting ??= idle().finally(() => (waiting = undefined)))
  return [
    { method: 'GET', pattern: '/livez', handle: ({ response }) => answer(response, 200, { status: 'ok' }) },
    {
      method: 'GET',
      pattern: '/agent/livez',
      handle: ({ response }) => answer(response, alive() ? 200 : 503, { status: alive() ? 'ok' : 'ending' }),
    },
    {
      method: 'GET',
      pattern: '/idle',
      handle: async ({ response }) => {
        const gone = new AbortController()
        response.once('close', () => gone.abort())
        const late = sleep(idleMs, undefined, { signal: gone.signal })
        await Promise.race([sleep(leavingMs).then(settled), late]).catch(() => undefined)
        if (!gone.signal.aborted) answer(response, 200, { status: 'idle' })
        gone.abort()
      },
    },
  ]
}
