// An agent that calls tools of MCP servers and a model at its launcher: it refunds an order, and has a model write the reply. No dependencies.
import { createServer } from 'node:http'

const { DISCOVERY_PORT, MODEL, MODEL_GATEWAY_URL } = process.env

function post(url, body, headers) {
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function call(name, args, headers) {
  const answer = await post(`http://127.0.0.1:${DISCOVERY_PORT}/tools/${name}/call`, { arguments: args }, headers)
  const result = await answer.json()
  // 403 tool_approval_required: the run pauses when this agent fails, and invokes it again after the approval.
  if (!answer.ok || result.isError) throw new Error(result.message ?? result.content[0].text)
  return JSON.parse(result.content[0].text)
}

// Through port 2996, since calls of a recorded agent pass its launcher.
async function ask(content, headers) {
  const body = { model: MODEL, messages: [{ role: 'user', content }] }
  const answer = await post(`${MODEL_GATEWAY_URL}/v1/chat/completions`, body, headers)
  const result = await answer.json()
  if (!answer.ok) throw new Error(result.error.message)
  return result.choices[0].message.content
}

async function work({ order }, headers) {
  const { id } = await call('orders_find_order', { id: order }, headers)
  const { day } = await call('calendar_next_day', {}, headers)
  const { refunded } = await call('orders_refund_order', { id }, headers)
  const reply = await ask(`Tell the customer: ${refunded} are refunded on ${day}.`, headers)
  return { refunded, day, reply }
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
