import { once } from 'node:events'
import { createServer } from 'node:net'

/** A loopback TCP port that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given by the system')
  server.close()
  await once(server, 'close')
  return address.port
}
