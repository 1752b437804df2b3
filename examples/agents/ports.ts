// An agent that uses every port of its launcher, and skips what is not bound. No dependencies.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

interface Run {
  readonly id: string
  readonly trace: string
}

const { env } = process

/** Status and body of a request that belongs to the run. */
async function call(url: string, run: Run, body?: unknown): Promise<[number, unknown]> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-mesh-run-id': run.id,
    traceparent: run.trace,
  }
  const { MODEL_GATEWAY_TOKEN_FILE: tokenFile, MODEL_GATEWAY_URL: gateway } = env
  // Read for each call, since it is rotated.
  if (tokenFile && gateway && url.startsWith(gateway))
    headers['authorization'] = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`
  const answer = await fetch(
    url,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  // 404 not_bound: that part is not in the agent's spec.
  return [answer.status, await answer.json()]
}

async function work(question: string, conversation: string, run: Run): Promise<object> {
  const used: Record<string, number> = {}
  const use = async (name: string, port: string, path: string, body?: unknown): Promise<unknown> => {
    const bound = env[port]
    if (bound === undefined) return undefined
    const base = port === 'MODEL_GATEWAY_URL' ? bound : `http://127.0.0.1:${bound}`
    const [status, answer] = await call(base + path, run, body)
    used[name] = status
    return answer
  }
  const memory = `/memory/${encodeURIComponent(conversation)}`
  const earlier = await use('context', 'MEMORY_PORT', memory)
  await use('append', 'MEMORY_PORT', `${memory}/append`, { question })
  await use('remember', 'MEMORY_PORT', '/memory/agent/remember', { text: question })
  await use('recall', 'MEMORY_PORT', '/memory/agent/search', { query: question, limit: 3 })
  await use('knowledge', 'MEMORY_PORT', '/knowledge/search', { query: question, limit: 3 })
  let answer = question
  if (env['MODEL'] !== undefined) {
    const messages = [{ role: 'user', content: question }]
    const reply = await use('model', 'MODEL_GATEWAY_URL', '/v1/chat/completions', { model: env['MODEL'], messages })
    if (used['model'] === 200)
      answer = (reply as { choices: [{ message: { content: string } }] }).choices[0].message.content
  }
  if (env['PEER'] !== undefined) {
    await use('delegate', 'DELEGATE_PORT', '/delegate', { agent: env['PEER'], input: question })
    await use('message', 'A2A_PORT', `/amp/${env['PEER']}`, question)
  }
  const value = Object.keys(used).length
  await use('feedback', 'FEEDBACK_PORT', '/feedback', { runId: run.id, name: 'ports', value })
  return { answer, earlier: Array.isArray(earlier) ? earlier.length : 0, used }
}

createServer(async (request, response) => {
  // /healthz: 404 is healthy, too.
  if (request.url !== '/invoke') {
    response.writeHead(404).end()
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { input, conversationId } = JSON.parse(Buffer.concat(chunks).toString()) as {
    input: unknown
    conversationId?: string
  }
  const run = { id: String(request.headers['x-mesh-run-id']), trace: String(request.headers['traceparent']) }
  try {
    const output = await work(String(input), conversationId ?? run.id, run)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output }))
  } catch (error) {
    response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message: String(error) }))
  }
}).listen(Number(env['AGENT_PORT']), '127.0.0.1')
