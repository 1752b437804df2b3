// An agent that calls tools of MCP servers at its launcher: it finds an order and a day, and refunds the order. No dependencies.
import { createServer } from 'node:http'

const tools = `http://127.0.0.1:${process.env.DISCOVERY_PORT}/tools`

async function call(name, args, headers) {
  const body = JSON.stringify({ arguments: args })
  const answer = await fetch(`${tools}/${name}/call`, { method: 'POST', headers, body })
  const result = await answer.json()
  // 403 tool_approval_required: the run pauses when this agent fails, and invokes it again after the approval.
  if (!answer.ok || result.isError) throw new Error(result.message ?? result.content[0].text)
  return JSON.parse(result.content[0].text)
}

async function work({ order }, headers) {
  const { id } = await call('orders_find_order', { id: order }, headers)
  const { day } = await call('calendar_next_day', {}, headers)
  const { refunded } = await call('orders_refund_order', { id }, headers)
  return { refunded, day }
}

createServer(async (request, response) => {
  if (request.url !== '/invoke') return response.writeHead(404).end()
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { 'x-mesh-run-id': run, traceparent } = request.headers
  const headers = { 'content-type': 'application/json', 'x-mesh-run-id': run, traceparent }
  response.setHeader('content-type', 'application/json')
  try {
    const output = await work(JSON.parse(Buffer.concat(chunks)).input, headers)
    response.end(JSON.stringify({ output }))
  } catch (error) {
    response.writeHead(500).end(JSON.stringify({ error: { message: error.message } }))
  }
}).listen(process.env.AGENT_PORT, '127.0.0.1')
