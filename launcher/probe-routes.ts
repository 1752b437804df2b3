import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from './http/listener.ts'
import type { Route } from './http/listener.ts'

/** Probes of the kubelet, without credentials: responses contain no data and requests change no state. */
export interface ProbeRoutesOptions {
  /** Answer of the liveness probe of the agent's container. */
  readonly alive: () => boolean
  /** Resolves when all runs have ended and their results were read. */
  readonly idle: () => Promise<void>
  /** Maximum wait in milliseconds. */
  readonly idleMs: number
}

// Workers cache EndpointSlices for a second, so a terminating pod still receives runs for a moment.
const leavingMs = 3_000

/**
 * `/livez`: all ports are bound. `/agent/livez`: liveness probe of the agent's container. `/idle`: its preStop hook, which
 * responds when all runs have ended (P3).
 */
export function probeRoutes({ alive, idle, idleMs }: ProbeRoutesOptions): readonly Route[] {
  // Requests share one wait: the agent can send any number of them.
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
