import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'
import type { RoleProcess } from './stage/role.ts'

/** A TCP load balancer as a cluster has it: new connections go to ready backends, open ones stay where they are. */
export interface Balancer {
  readonly url: string
  /** Backends that take new connections now. */
  ready(): readonly string[]
}

const everyMs = 100

/** Balances connections over BFFs in turn; readiness is asked ten times a second. */
export async function openBalancer(scope: Scope, backends: readonly RoleProcess[]): Promise<Balancer> {
  const ready = new Set(backends)
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    open.add(near)
    near.once('close', () => open.delete(near))
    // With none ready any may still serve: a readiness that is late on a busy machine must not turn everybody away.
    const candidates = ready.size > 0 ? [...ready] : backends
    dial(near, candidates.slice(turn % candidates.length).concat(candidates.slice(0, turn % candidates.length)))
    turn++
  })
  const probing = setInterval(() => {
    for (const backend of backends)
      void backend.isReady().then((is) => void (is ? ready.add(backend) : ready.delete(backend)))
  }, everyMs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    clearInterval(probing)
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given by the system')
  return { url: `http://127.0.0.1:${address.port}`, ready: () => [...ready].map(({ name }) => name) }
}

// A backend that refuses the connection has seen nothing of it, so the next one is tried.
function dial(near: Socket, [backend, ...others]: readonly RoleProcess[]): void {
  if (backend === undefined) return void near.resetAndDestroy()
  const far = connect({ port: backend.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const refused = (): void => dial(near, others)
  far.once('error', refused)
  far.once('connect', () => {
    far.off('error', refused)
    far.on('error', () => near.resetAndDestroy())
    near.on('error', () => far.destroy())
    near.pipe(far)
    far.pipe(near)
  })
}
