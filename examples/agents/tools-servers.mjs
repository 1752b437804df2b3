// Two MCP servers of the public SDK: orders (revision 2025-11-25, with sessions) and a calendar (2026-07-28, without).
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import {
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  fromJsonSchema,
} from '@modelcontextprotocol/server'

const orders = new Map([['7', { id: '7', total: 42 }]])
const id = fromJsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })
const nothing = fromJsonSchema({ type: 'object' })
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

function createOrders() {
  const server = new McpServer({ name: 'orders', version: '1' })
  const find = { description: 'Finds an order.', inputSchema: id, annotations: { readOnlyHint: true } }
  server.registerTool('find_order', find, (args) => text(orders.get(args.id) ?? null))
  const refund = { description: 'Refunds an order.', inputSchema: id, annotations: { destructiveHint: true } }
  server.registerTool('refund_order', refund, (args) => text({ refunded: orders.get(args.id)?.total ?? 0 }))
  return server
}

function createCalendar() {
  const server = new McpServer({ name: 'calendar', version: '1' })
  const next = { description: 'Returns the next free day.', inputSchema: nothing, annotations: { readOnlyHint: true } }
  server.registerTool('next_day', next, () => text({ day: 'Tuesday' }))
  return server
}

const sessions = new Map()

async function serveOrders(request) {
  const known = sessions.get(request.headers.get('mcp-session-id'))
  if (known !== undefined) return known.handleRequest(request)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => sessions.set(session, transport),
    onsessionclosed: (session) => sessions.delete(session),
  })
  await createOrders().connect(transport)
  return transport.handleRequest(request)
}

function listen(port, serve) {
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    const body = method === 'POST' ? Buffer.concat(chunks) : undefined
    const answer = await serve(new Request(`http://${headers.host}${url}`, { method, headers, body }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  })
  server.listen(port, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${port}/mcp\n`))
}

listen(8091, serveOrders)
listen(8092, createMcpHandler(createCalendar, { legacy: 'reject' }).fetch)
