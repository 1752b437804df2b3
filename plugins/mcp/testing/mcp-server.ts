import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import {
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  fromJsonSchema,
} from '@modelcontextprotocol/server'
import type { Scope } from '#test/harness/scope.ts'

/** A tool of the test server. */
export interface TestTool {
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: object
  readonly outputSchema?: object
  readonly annotations?: object
  /** Result of a call; default: its arguments as a JSON string. */
  readonly result?: object
}

/** A server of the public SDK, with tools that a test may change. */
export interface ToolServer {
  readonly url: string
  readonly origin: string
  readonly tools: Map<string, TestTool>
  /** Values of `authorization` that the server has received. */
  readonly bearers: (string | undefined)[]
  /** Names of called tools. */
  readonly calls: string[]
}

/** Serves raw HTTP, for servers that violate the protocol. */
export async function listenRaw(t: Scope, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** Responds to a request before the server, such as with 401. Returns whether it did. */
export type FirstResponse = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

/** Starts a server that supports one revision only: 2026-07-28 without sessions, or 2025-11-25 with them. */
export async function startMcpServer(
  t: Scope,
  revision: '2025-11-25' | '2026-07-28',
  first: FirstResponse = async () => false,
): Promise<ToolServer> {
  const tools = new Map<string, TestTool>([['echo', {}]])
  const bearers: (string | undefined)[] = []
  const calls: string[] = []
  const make = (): McpServer => toServer(tools, calls)
  const serve = revision === '2026-07-28' ? modern(make) : sessionful(make)
  const url = await listenRaw(t, (request, response) => {
    bearers.push(request.headers.authorization)
    void first(request, response).then((isDone) => (isDone ? undefined : answer(serve, request, response)))
  })
  return { url, origin: new URL(url).origin, tools, bearers, calls }
}

type Serve = (request: Request) => Promise<Response>

function toServer(tools: ReadonlyMap<string, TestTool>, calls: string[]): McpServer {
  const server = new McpServer({ name: 'test', version: '1' })
  for (const [name, { inputSchema = { type: 'object' }, outputSchema, result, ...rest }] of tools) {
    const schemas = {
      inputSchema: fromJsonSchema(inputSchema),
      ...(outputSchema === undefined ? {} : { outputSchema: fromJsonSchema(outputSchema) }),
    }
    server.registerTool(name, { ...rest, ...schemas }, (args) => {
      calls.push(name)
      return (result ?? { content: [{ type: 'text', text: JSON.stringify(args) }] }) as never
    })
  }
  return server
}

function modern(make: () => McpServer): Serve {
  return createMcpHandler(make, { legacy: 'reject' }).fetch
}

function sessionful(make: () => McpServer): Serve {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await make().connect(transport)
    return transport.handleRequest(request)
  }
}

async function answer(serve: Serve, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const body = method === 'POST' ? { body: await buffer(request) } : {}
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent.set(name, value)
  const {
    status,
    headers: given,
    body: stream,
  } = await serve(new Request(`http://${headers.host}${url}`, { method, headers: sent, ...body }))
  response.writeHead(status, Object.fromEntries(given))
  for await (const chunk of stream ?? []) response.write(chunk)
  response.end()
}
