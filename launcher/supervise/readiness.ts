import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'

const probeTimeoutMs = 1000
/** Shorter than the restart of a container. */
const awayPollMs = 50
/** Longer than the start of most agents. */
const defaultLateMs = 10_000

/**
 * True if the agent serves: `GET /healthz` on its port is 2xx, or 404, which shows that it accepts connections. The probe uses
 * node:http: the kubelet asks every few seconds, and undici would stay in memory.
 */
export function isAgentReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: '127.0.0.1', port, path: '/healthz', agent: false, timeout: probeTimeoutMs })
    probe.on('response', (response) => {
      response.resume()
      const status = response.statusCode ?? 0
      resolve((status >= 200 && status < 300) || status === 404)
    })
    // An agent with another protocol on its port accepts connections, which is enough.
    probe.on('error', (error: NodeJS.ErrnoException) => resolve(error.code?.startsWith('HPE_') === true))
    probe.on('timeout', () => probe.destroy())
    probe.end()
  })
}

/** Waits with a growing pause until the agent is ready or `signal` aborts. */
export async function untilAgentReady(port: number, signal: AbortSignal): Promise<boolean> {
  for (let pause = 20; !signal.aborted; pause = Math.min(pause * 1.5, 500)) {
    if (await isAgentReady(port)) return true
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return false
}

/** Options of `warnWhenLate`. */
export interface LateOptions {
  readonly lateMs?: number | undefined
  /** Adds the line to the log of the agent. */
  readonly tell?: (line: string) => void
}

/** Logs the port once if the agent has not answered after `lateMs`; the returned function cancels. */
export function warnWhenLate(port: number, log: Logger, options: LateOptions = {}): () => void {
  const { lateMs = defaultLateMs, tell } = options
  const line = `the agent does not respond on AGENT_PORT=${port}`
  const warn = (): void => {
    log.warn({ port }, line)
    tell?.(line)
  }
  const timer = setTimeout(warn, lateMs).unref()
  return () => clearTimeout(timer)
}

/** Readiness of an agent in another container: its exit is visible only as a refused connection. */
export interface WatchedAgent {
  /** True if a run may start. */
  started(): boolean
  /** Reports a refused connection: `started` is false until the agent answers again. */
  lost(): void
  /** Reports that the agent is about to be ended: `started` is false until it has ended and answers again, or for `withinMs`. */
  ending(withinMs: number): void
}

/** Watches the agent of another container until `signal` aborts. */
export function watchAgent(port: number, signal: AbortSignal, log: Logger): WatchedAgent {
  let started = false
  const becomeReady = async (): Promise<void> => {
    const answered = warnWhenLate(port, log)
    started = await untilAgentReady(port, signal)
    answered()
  }
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void becomeReady()
  const lost = (): void => {
    if (!started) return
    started = false
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void becomeReady()
  }
  let ending: Promise<void> | undefined
  const untilEnded = async (withinMs: number): Promise<void> => {
    const ended = await untilAgentAway(port, AbortSignal.any([signal, AbortSignal.timeout(withinMs)]))
    if (ended) {
      log.info({ port }, 'agent ended: runs start when it responds again')
      lost()
    }
    ending = undefined
  }
  return {
    started: () => started && ending === undefined,
    lost,
    ending: (withinMs) => {
      ending ??= untilEnded(withinMs)
    },
  }
}

// True if the agent has stopped answering before `signal` aborts.
async function untilAgentAway(port: number, signal: AbortSignal): Promise<boolean> {
  while (await isAgentReady(port)) {
    if (signal.aborted) return false
    await sleep(awayPollMs)
  }
  return true
}
