import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { askReadiness } from '../readiness.ts'

/** What the thread is given: where each backend listens. */
export interface Backend {
  readonly name: string
  readonly port: number
  readonly adminUrl: string
}

/** What the thread tells: its port once, then the names of those that take new connections, whenever that changes. */
export type Told = { readonly port: number } | { readonly ready: readonly string[] }

const everyMs = 100
// A pod that ends leaves its Service at once; one whose checks fail, on a busy machine, after three probes that are two seconds apart.
const failingMs = 6_000

// A thread of its own, as a balancer is not the client: what the client is late with must not make it late with a failed readiness.
const backends = workerData as readonly Backend[]
const ready = new Set(backends)
let turn = 0
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
const tell = (told: Told): void => parentPort?.postMessage(told)

const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) =>
  dial(near, [...ready][turn++ % ready.size]),
)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('no port was given by the system')
tell({ port: address.port })
await Promise.all(backends.map(watch))

// One probe of a backend after the other: an answer that was late must not undo a later one.
async function watch(backend: Backend): Promise<void> {
  for (let well = performance.now(); ; await sleep(everyMs)) {
    const found = await askReadiness(backend.adminUrl)
    if (found !== 'failing') well = performance.now()
    const before = ready.size
    if (found === 'ready') ready.add(backend)
    else if (found === 'away' || performance.now() - well > failingMs) ready.delete(backend)
    if (ready.size !== before) tell({ ready: [...ready].map(({ name }) => name) })
  }
}

// As a Service does: no second try. A backend that is named ready and refuses is a failure of the platform.
function dial(near: Socket, backend: Backend | undefined): void {
  if (backend === undefined) return void near.resetAndDestroy()
  const far = connect({ port: backend.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  far.on('error', () => near.resetAndDestroy())
  near.on('error', () => far.destroy())
  near.pipe(far)
  far.pipe(near)
}
