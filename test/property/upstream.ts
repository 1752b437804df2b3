import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'

/** A request as it came over the wire. */
export interface Received {
  readonly path: string
  readonly rawHeaders: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * What stands in the place of an API server to see the bytes of a request and to choose each answer: neither can be had of a real
 * one. It knows the two reviews; the username is the token's own text.
 */
export interface Upstream {
  readonly url: string
  readonly received: Received[]
  /** The answer of the next access review; default yes. */
  allow: (asked: Received) => boolean
}

/** Starts an upstream on a free port. */
export async function startUpstream(t: Scope): Promise<Upstream> {
  const received: Received[] = []
  const upstream: { url: string; received: Received[]; allow: Upstream['allow'] } = {
    url: '',
    received,
    allow: () => true,
  }
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const asked = { path: request.url ?? '', rawHeaders: request.rawHeaders, body: await bodyOf(request) }
      received.push(asked)
      const username = request.headers.authorization?.slice('Bearer '.length)
      const status = asked.path.includes('selfsubjectaccessreviews')
        ? { allowed: upstream.allow(asked) }
        : { userInfo: { username } }
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ status }))
    }
    answer().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return upstream
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}
