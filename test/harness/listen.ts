import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Scope } from './scope.ts'

/** Listens on a free port of an address until the scope ends. Returns the server's URL. */
export async function listen(t: Scope, server: Server, address = '127.0.0.1'): Promise<string> {
  server.listen(0, address)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port was given by the system')
  return `http://${address}:${bound.port}`
}
