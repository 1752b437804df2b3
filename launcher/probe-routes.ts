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
  /** Refuses new runs until the agent has ended and answers again. */
  readonly agentEnding: () => void
  /** Time that a terminating pod still starts runs (3 s), since workers cache EndpointSlices for a second. */
  readonly leavingMs?: number
}

const defaultLeavingMs = 3_000

/**
 * `/livez`: all ports are bound. `/agent/livez`: liveness probe of the agent's container. `/idle`: its preStop hook, which
 * responds when all runs have ended (P3). New runs are refused before that: the kubelet ends the agent on the response, while
 * EndpointSlices of a busy cluster may still list the pod (PODA28).
 */
export function probeRoutes(options: ProbeRoutesOptions): readonly Route[] {
  const { alive, idle, idleMs, agentEnding, leavingMs = defaultLeavingMs } = options
  // Requests share one wait: the agent can send any number of them.
  let waiting: Promise<void> | undefined
  const settled = (): Promise<void> => {
    agentEnding()
    return (waiting ??= idle().finally(() => (waiting = undefined)))
  }
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
        const leaving = sleep(leavingMs, undefined, { signal: gone.signal })
        await Promise.race([leaving.then(settled), late]).catch(() => undefined)
        if (!gone.signal.aborted) answer(response, 200, { status: 'idle' })
        gone.abort()
      },
    },
  ]
}
