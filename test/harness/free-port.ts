import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the range of ephemeral ports, which a busy machine uses within seconds.
const [FIRST, LAST] = [10_240, 32_767]

/** A loopback TCP port without a listener a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const refused = new Promise<boolean>((resolve) => server.once('error', () => resolve(false)))
  server.listen(port, '127.0.0.1')
  if ((await Promise.race([once(server, 'listening'), refused])) === false) return false
  server.close()
  await once(server, 'close')
  return true
}
