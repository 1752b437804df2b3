import { request } from 'node:http'
import type { Logger } from '#core/log/logger.ts'

const probeTimeoutMs = 1000
/** Longer than most agents take to start: what is logged then is worth a look. */
const defaultLateMs = 10_000

/**
 * Whether the agent serves: `GET /healthz` on its port is 2xx, or is 404, which shows that it accepts TCP. The probe is
 * plain node:http, since kubelet asks every few seconds and undici would stay in memory for it.
 */
export function isAgentReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: '127.0.0.1', port, path: '/healthz', agent: false, timeout: probeTimeoutMs })
    probe.on('response', (response) => {
      response.resume()
      const status = response.statusCode ?? 0
      resolve((status >= 200 && status < 300) || status === 404)
    })
    // An agent that speaks something else on its port accepts TCP, which is enough.
    probe.on('error', (error: NodeJS.ErrnoException) => resolve(error.code?.startsWith('HPE_') === true))
    probe.on('timeout', () => probe.destroy())
    probe.end()
  })
}

/** Waits until the agent is ready or `signal` aborts; asks more rarely as time passes. */
export async function untilAgentReady(port: number, signal: AbortSignal): Promise<boolean> {
  for (let pause = 20; !signal.aborted; pause = Math.min(pause * 1.5, 500)) {
    if (await isAgentReady(port)) return true
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return false
}

/** Logs the port once when the agent has not answered after `lateMs`; the returned function ends the wait. */
export function warnWhenLate(port: number, log: Logger, lateMs = defaultLateMs): () => void {
  const warn = (): void => log.warn({ port }, `the agent does not answer on AGENT_PORT=${port}`)
  const timer = setTimeout(warn, lateMs).unref()
  return () => clearTimeout(timer)
}

/** Readiness of an agent that is no child of the launcher: its exit shows only in a refused connection. */
export interface WatchedAgent {
  /** Whether a run may start. */
  started(): boolean
  /** A connection was refused: false until the agent answers again. */
  lost(): void
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
  return {
    started: () => started,
    lost() {
      if (!started) return
      started = false
      // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
      void becomeReady()
    },
  }
}
