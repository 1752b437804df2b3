import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceEndpoint } from '#core/cluster/endpoint-slices.ts'
import { lingerOnClose } from '#core/net/linger-close.ts'

/** Returns the launchers of an agent on this machine. */
export type EndpointLookup = (namespace: string, name: string) => readonly ServiceEndpoint[]

/** Look-up for other processes: `GET /endpoints/{namespace}/{name}` returns `{launchers}`. Loopback only. */
export interface EndpointServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves the look-up on a free port. */
export async function serveEndpoints(lookup: EndpointLookup): Promise<EndpointServer> {
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const port = (server.address() as AddressInfo).port
    // A request under another host name is refused: a browser page could rebind its DNS name.
    if (request.headers.host !== `127.0.0.1:${port}`) {
      send(response, 421, { error: 'misdirected_request', message: 'The Host header is not a name of this listener.' })
      return
    }
    const match = /^\/endpoints\/([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})$/.exec(request.url ?? '')
    const launchers = match === null || request.method !== 'GET' ? undefined : lookup(match[1] ?? '', match[2] ?? '')
    if (launchers === undefined) send(response, 404, { error: 'not_found', message: 'Not found.' })
    else send(response, 200, { launchers })
  })
  lingerOnClose(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}
