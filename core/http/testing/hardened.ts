import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'
import { buildServer } from './build-server.ts'

/** A bearer that the server accepts. */
export const good = { authorization: 'Bearer good-token' }
/** Any object. */
export const free = Type.Object({}, { additionalProperties: true })

/** A route that returns its input. */
export function route(more: Partial<AnyEndpoint>): AnyEndpoint {
  return {
    ...endpoint({
      method: 'GET',
      url: '/things',
      summary: 'x',
      authz: { kind: 'bearer' },
      response: { 200: free },
      handle: async ({ params, query, body }) => ({ params, query, body: body ?? null }),
    }),
    ...more,
  }
}

/** A route with a namespace and a name in its path. */
export const named = route({ url: '/things/:ns/:name' })
/** A parameter of each type. */
export const query = Type.Object({
  limit: Type.Optional(Type.Integer()),
  dry: Type.Optional(Type.Boolean()),
  state: Type.Optional(Type.Enum(['on', 'off'])),
  q: Type.Optional(Type.String()),
})
/** A route with a query. */
export const listed = route({ query })
/** A route with a body. */
export const posted = route({
  method: 'POST',
  body: Type.Object({
    count: Type.Integer(),
    tag: Type.Optional(Type.String({ maxLength: 5 })),
    nested: Type.Optional(Type.Object({ on: Type.Boolean() })),
  }),
})

/** Serves routes and can send raw bytes. */
export async function start(t: TestContext, endpoints: readonly AnyEndpoint[], more = {}) {
  const server = await buildServer(t, [{ endpoints }], more)
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  /** Sends raw bytes and reads until the server closes. */
  const raw = async (head: string, body = ''): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk: string) => (text += chunk))
    socket.end(`${head.replaceAll('\n', '\r\n')}\r\nConnection: close\r\n\r\n${body}`)
    await once(socket, 'close')
    return text
  }
  const status = async (head: string, body?: string): Promise<number> =>
    Number(/^HTTP\/1.1 (\d+)/.exec(await raw(head, body))?.[1])
  return { ...server, raw, status, url: `http://127.0.0.1:${port}` }
}

/** Headers of a raw request. */
export const authorized = 'Host: x\nAuthorization: Bearer good-token'
