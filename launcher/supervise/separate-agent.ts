import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'
import { isAgentReady } from './readiness.ts'

/** The agent in its own container, which the kubelet restarts. */
export interface SeparateAgent {
  ready(): Promise<boolean>
  /** Response of the liveness probe of the agent's container: false makes the kubelet restart it. */
  alive(): boolean
  /** Fails the liveness probe; resolves when the agent's port refuses connections, or after `restartMs`. */
  restart(): Promise<void>
}

// Three failed probes of two seconds each, the grace period of the probe, and time for the kubelet.
const restartMs = 60_000

/** Restarts the agent by its liveness probe: signals do not reach another container. */
export function createSeparateAgent(port: number, log: Logger): SeparateAgent {
  let ending: Promise<void> | undefined
  const end = async (): Promise<void> => {
    log.warn({ port }, 'agent did not stop after a cancel, failing its liveness probe')
    const deadline = performance.now() + restartMs
    while ((await accepts(port)) && performance.now() < deadline) await sleep(100)
  }
  return {
    ready: async () => ending === undefined && (await isAgentReady(port)),
    alive: () => ending === undefined,
    restart: () => (ending ??= end().finally(() => (ending = undefined))),
  }
}

// A process that hangs keeps its port: connections are refused only after its end.
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
