import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Logger } from '#core/log/logger.ts'
import type { LivenessInput, LivenessMessage } from './liveness-thread.ts'

/** Address at which liveness is served, and its bound. */
export interface LivenessOptions extends Omit<LivenessInput, 'answered'> {
  readonly log: Logger
}

/** The liveness probe of a process, on its own port. */
export interface Liveness {
  readonly port: number
  close(): Promise<void>
}

// Bundled as JavaScript beside the chunks.
const bundled = new URL('./liveness-thread.js', import.meta.url)
const program = existsSync(bundled) ? bundled : new URL('./liveness-thread.ts', import.meta.url)

/**
 * Serves `/livez` in its own thread. It returns 200 while the event loop of the main thread turns, however late, and 503 when it has not
 * turned for `blockedMs`. A thread that fails ends the probe, and the kubelet then restarts the process. Throws if the port is taken.
 */
export async function startLiveness({ log, ...input }: LivenessOptions): Promise<Liveness> {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const workerData: LivenessInput = { ...input, answered }
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }
  const worker = new Worker(program, { workerData, resourceLimits, env: {}, execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  worker.on('message', (message: LivenessMessage) => {
    if (typeof message === 'number') Atomics.store(answered, 0, message)
    else if ('port' in message) resolve(message.port)
    else reject(new Error(`MESH_LIVENESS_PORT: port ${input.port} ${message.taken ? 'is taken' : 'cannot be opened'}`))
  })
  worker.on('error', (error) => {
    log.error({ err: error }, 'liveness probe failed')
    reject(error)
  })
  try {
    const port = await promise
    // The probe does not keep a process running.
    worker.unref()
    const close = async (): Promise<void> => {
      await worker.terminate()
    }
    return { port, close }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}
