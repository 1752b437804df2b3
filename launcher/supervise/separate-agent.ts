import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'
import { isAgentReady } from './readiness.ts'

/** The agent in a container of its own, which the kubelet ends and starts. */
export interface SeparateAgent {
  ready(): Promise<boolean>
  /** Answer of the agent container's liveness probe: false makes the kubelet end it. */
  alive(): boolean
  /** Has the kubelet end the agent; resolves once its port refuses connections, or after `restartMs`. */
  restart(): Promise<void>
}

// Three failed probes at two seconds each, the grace of the probe, and time for the kubelet.
const restartMs = 60_000

/** Supervises by the liveness probe: no signal reaches another container. */
export function createSeparateAgent(port: number, log: Logger): SeparateAgent {
  let ending: Promise<void> | undefined
  const end = async (): Promise<void> => {
    log.warn({ port }, 'the agent ignored a cancel, its liveness probe fails until it has ended')
    const deadline = performance.now() + restartMs
    while ((await accepts(port)) && performance.now() < deadline) await sleep(100)
  }
  return {
    ready: async () => ending === undefined && (await isAgentReady(port)),
    alive: () => ending === undefined,
    restart: () => (ending ??= end().finally(() => (ending = undefined))),
  }
}

// A process that hangs still has its port: only its end refuses.
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
