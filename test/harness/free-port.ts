import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Server } from 'node:net'

// Below the range of ephemeral ports, which a busy machine uses within seconds.
const [FIRST, LAST] = [10_240, 32_767]

/**
 * A loopback TCP port without a listener, for a server that a test starts and restarts. It belongs to this process until that ends: no test of this
 * machine gets it meanwhile, although its server listens only seconds later.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST)
    if ((await reservePort(port)) && (await isFree(port))) return port
  }
}

/**
 * Reserves a port for this process; false if another process, or an earlier call, holds it. The reservation is an abstract socket of Linux: it ends
 * with its process, however that ends, and leaves no file. Other systems have none.
 */
export async function reservePort(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const held = createServer().unref()
  return listens(held, () => held.listen(`\0mesh-test-port-${port}`))
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  if (!(await listens(server, () => server.listen(port, '127.0.0.1')))) return false
  server.close()
  await once(server, 'close')
  return true
}

async function listens(server: Server, start: () => unknown): Promise<boolean> {
  const refused = new Promise<boolean>((resolve) => server.once('error', () => resolve(false)))
  start()
  return (await Promise.race([once(server, 'listening'), refused])) !== false
}
