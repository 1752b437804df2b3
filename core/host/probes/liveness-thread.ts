import { parentPort, workerData } from 'node:worker_threads'
import { createLoopWatch } from './loop-watch.ts'
import { createProbeServer, isTaken, listen } from './probe-server.ts'

/** Input of the thread of the liveness probe. */
export interface LivenessInput {
  readonly host: string
  readonly port: number
  readonly hosts: readonly string[] | undefined
  readonly blockedMs: number
  /** The last question that the main thread has answered. */
  readonly answered: Int32Array<SharedArrayBuffer>
}

/** Messages of the thread: it listens, it cannot, or a question to the main thread. */
export type LivenessMessage = { readonly port: number } | { readonly taken: boolean } | number

const { host, port, hosts, blockedMs, answered } = workerData as LivenessInput
const post = (message: LivenessMessage): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(message)
}

const blockedFor = createLoopWatch({
  ask: post,
  answered: () => Atomics.load(answered, 0),
  now: () => performance.now(),
  blockedMs,
})

const server = createProbeServer((path) => {
  if (path !== '/livez') return undefined
  const ms = blockedFor()
  if (ms === undefined) return { status: 200, body: 'ok\n' }
  return { status: 503, body: `the event loop has not turned for ${Math.floor(ms / 1_000)} s\n` }
}, hosts)
// A probe is one short request.
Object.assign(server, { headersTimeout: 5_000, requestTimeout: 5_000, timeout: 5_000, maxConnections: 256 })
listen(server, { host, port, mayMove: false }).then(
  (listening) => post({ port: listening }),
  (error: unknown) => post({ taken: isTaken(error) }),
)
