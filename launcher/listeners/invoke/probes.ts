import { setTimeout as sleep } from 'node:timers/promises'
import type { Handlers } from '../../http/port.ts'
import type { invokePort } from './port.ts'

/** Probes of the kubelet, without credentials: responses contain no data of runs. */
export interface ProbeOptions {
  /** False while the launcher drains and until the agent answers. */
  readonly health: () => Promise<boolean>
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
 * Handlers of the probes. `/idle` refuses new runs before it responds: the kubelet ends the agent on the response, while EndpointSlices
 * of a busy cluster may still list the pod (P3, PODA28).
 */
export function probeHandlers(options: ProbeOptions) {
  const { health, alive, idle, idleMs, agentEnding, leavingMs = defaultLeavingMs } = options
  // Requests share one wait: the agent can send any number of them.
  let waiting: Promise<void> | undefined
  const settled = (): Promise<void> => {
    agentEnding()
    return (waiting ??= idle().finally(() => (waiting = undefined)))
  }
  return {
    live: () => ({ status: 200, body: { status: 'ok' } }),
    agentLive: () => (alive() ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { status: 'ending' } }),
    health: async () =>
      (await health()) ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { status: 'unavailable' } },
    idle: async ({ response }) => {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      const late = sleep(idleMs, undefined, { signal: gone.signal })
      const leaving = sleep(leavingMs, undefined, { signal: gone.signal })
      await Promise.race([leaving.then(settled), late]).catch(() => undefined)
      gone.abort()
      return { status: 200, body: { status: 'idle' } }
    },
  } satisfies Partial<Handlers<typeof invokePort.routes>>
}
