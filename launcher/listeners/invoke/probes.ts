import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'
import { HOOK_HEADER } from '#schemas/launcher/launcher.ts'
import { singleHeader } from '../../contract/http/headers.ts'
import type { Handlers } from '../../contract/http/port.ts'
import { Refusal } from '../../contract/http/refusal.ts'
import type { Health } from './launcher-pod.ts'
import type { invokePort } from './port.ts'

/** Probes of the kubelet. Those without a credential have no effect, and their responses contain no data of runs. */
export interface ProbeOptions {
  readonly health: () => Promise<Health>
  /** Response of the liveness probe of the agent's container. */
  readonly alive: () => boolean
  /** Resolves when all runs have ended and their results were read. */
  readonly idle: () => Promise<void>
  /** Maximum wait in milliseconds. */
  readonly idleMs: number
  /** Refuses new runs until the agent has ended and answers again. */
  readonly agentEnding: () => void
  /** Token of the preStop hook; undefined: the launcher has no such hook and refuses every call. */
  readonly hookToken: string | undefined
  readonly log: Logger
  /** Time that a terminating pod still starts runs (3 s), since workers cache EndpointSlices for a second. */
  readonly leavingMs?: number
}

const defaultLeavingMs = 3_000

/** Interval between two log lines about refused hooks: any pod may send any number of requests. */
const refusedLogMs = 10_000

/**
 * Handlers of the probes. `/idle` refuses new runs before it responds: the kubelet ends the agent on the response, while EndpointSlices
 * of a busy cluster may still list the pod (P3, PODA28).
 */
export function probeHandlers(options: ProbeOptions) {
  const { alive, idle, idleMs, agentEnding, log, leavingMs = defaultLeavingMs } = options
  const checkHook = createHookCheck(options)
  // Concurrent requests share one probe of the agent: any pod may send any number.
  const health = shared(options.health)
  const whenIdle = shared(idle)
  return {
    live: () => ({ status: 200, body: { status: 'ok' } }),
    agentLive: () => (alive() ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { status: 'ending' } }),
    health: async () => {
      const reason = await health()
      if (reason === 'ok') return { status: 200, body: { status: 'ok' } }
      return { status: 503, body: { status: 'unavailable', reason } }
    },
    idle: async ({ request, response }) => {
      checkHook(request)
      log.info({}, 'preStop hook received: the agent is about to end')
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      const late = sleep(idleMs, undefined, { signal: gone.signal })
      const leaving = sleep(leavingMs, undefined, { signal: gone.signal }).then(() => (agentEnding(), whenIdle()))
      await Promise.race([leaving, late]).catch(() => undefined)
      gone.abort()
      return { status: 200, body: { status: 'idle' } }
    },
  } satisfies Partial<Handlers<typeof invokePort.routes>>
}

// Throws `Refusal`, which the listener counts. The log has at most one line per `refusedLogMs`.
function createHookCheck({ hookToken, log }: ProbeOptions): (request: IncomingMessage) => void {
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return (request) => {
    const sent = singleHeader(request, HOOK_HEADER)
    if (hookToken !== undefined && sent !== undefined && timingSafeEqual(digest(sent), digest(hookToken))) return
    refused++
    if (performance.now() - loggedAt >= refusedLogMs) {
      log.warn({ from: request.socket.remoteAddress, requests: refused }, 'preStop hook without its token refused')
      loggedAt = performance.now()
      refused = 0
    }
    throw new Refusal('unauthenticated', 'The token of the preStop hook is required.')
  }
}

// Digests have equal lengths, whatever is sent.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let waiting: Promise<T> | undefined
  return () => (waiting ??= ask().finally(() => (waiting = undefined)))
}
