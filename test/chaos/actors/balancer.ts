import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { askReadiness } from '../readiness.ts'

/** Input of the thread: the address of each backend. */
export interface Backend {
  readonly name: string
  readonly port: number
  readonly adminUrl: string
}

/** Messages of the thread: its port once, then the names of ready backends whenever they change. */
export type BalancerMessage = { readonly port: number } | { readonly ready: readonly string[] }

const everyMs = 100
// A terminating pod leaves its Service immediately. A pod with failing checks leaves it after three probes, two seconds apart, which matters on
// a busy machine.
const failingMs = 6_000

// In a thread, since the balancer is not the client: a delay of the client must not delay the detection of a failed readiness.
const backends = workerData as readonly Backend[]
const ready = new Set(backends)
const leaving = new Set<string>()
let turn = 0
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
const send = (message: BalancerMessage): void => parentPort?.postMessage(message)

const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) =>
  dial(near, [...ready][turn++ % ready.size]),
)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('no port was given by the system')
send({ port: address.port })
parentPort?.on('message', (name: string) => {
  leaving.add(name)
  change(() => backends.filter((one) => one.name === name).forEach((one) => ready.delete(one)))
})
await Promise.all(backends.map(watch))

// Probes a backend sequentially, so that a late response cannot override a later one.
async function watch(backend: Backend): Promise<void> {
  for (let well = performance.now(); ; await sleep(everyMs)) {
    const found = await askReadiness(backend.adminUrl)
    if (found !== 'failing') well = performance.now()
    if (found === 'away') leaving.delete(backend.name)
    change(() => {
      if (found === 'ready' && !leaving.has(backend.name)) ready.add(backend)
      else if (found === 'away' || performance.now() - well > failingMs) ready.delete(backend)
    })
  }
}

function change(act: () => void): void {
  const before = ready.size
  act()
  if (ready.size !== before) send({ ready: [...ready].map(({ name }) => name) })
}

// Like a Service, without a second attempt: a backend that is ready and refuses connections is a failure of the platform.
function dial(near: Socket, backend: Backend | undefined): void {
  if (backend === undefined) return void near.resetAndDestroy()
  const far = connect({ port: backend.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  far.on('error', () => near.resetAndDestroy())
  near.on('error', () => far.destroy())
  near.pipe(far)
  far.pipe(near)
}
