import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#test/harness/scope.ts'
import type { RoleProcess } from './stage/role.ts'

/** A TCP load balancer as a cluster has it: new connections go to ready backends, open ones stay where they are. */
export interface Balancer {
  readonly url: string
  /** Backends that take new connections now. */
  ready(): readonly string[]
}

const everyMs = 100
// A pod that ends leaves its Service at once; one whose checks fail, on a busy machine, after three probes that are two seconds apart.
const failingMs = 6_000

/** Balances connections over BFFs in turn; readiness is asked ten times a second. */
export async function openBalancer(scope: Scope, backends: readonly RoleProcess[]): Promise<Balancer> {
  const ready = new Set(backends)
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    open.add(near)
    near.once('close', () => open.delete(near))
    dial(near, [...ready][turn++ % ready.size])
  })
  const stopped = new AbortController()
  // One probe of a backend after the other: an answer that was late must not undo a later one.
  const probing = backends.map(async (backend) => {
    for (let well = performance.now(); !stopped.signal.aborted; await sleep(everyMs)) {
      const found = await backend.readiness()
      if (found !== 'failing') well = performance.now()
      if (found === 'ready') ready.add(backend)
      else if (found === 'away' || performance.now() - well > failingMs) ready.delete(backend)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    stopped.abort()
    await Promise.all(probing)
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given by the system')
  return { url: `http://127.0.0.1:${address.port}`, ready: () => [...ready].map(({ name }) => name) }
}

// As a Service does: no second try. A backend that is named ready and refuses is a failure of the platform.
function dial(near: Socket, backend: RoleProcess | undefined): void {
  if (backend === undefined) return void near.resetAndDestroy()
  const far = connect({ port: backend.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  far.on('error', () => near.resetAndDestroy())
  near.on('error', () => far.destroy())
  near.pipe(far)
  far.pipe(near)
}
