import { createServer } from 'node:http'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A request that a pod of the agent received: a run to start, or one to cancel. */
export interface AgentCall {
  readonly what: 'invoke' | 'cancel'
  readonly runId: string
  /** Name of the pod. */
  readonly pod: string
}

/** Records invokes outside the cluster, independently of the platform's own records. */
export interface AgentLog {
  /** Number of invokes per run. */
  readonly invokes: ReadonlyMap<string, number>
  /** All requests, in order. */
  readonly calls: readonly AgentCall[]
  /** Command of an agent that reports each invoke to this log, works for 300 ms or the `ms` of its input, and answers. */
  readonly command: readonly string[]
}

/** Listens on an address that pods can reach. */
export async function startAgentLog(t: Scope, address: string): Promise<AgentLog> {
  const invokes = new Map<string, number>()
  const calls: AgentCall[] = []
  const server = createServer((request, response) => {
    const [, what, runId = '', pod = ''] = (request.url ?? '').split('/')
    if (what === 'invoke') invokes.set(runId, (invokes.get(runId) ?? 0) + 1)
    if (what === 'invoke' || what === 'cancel') calls.push({ what, runId, pod })
    request.resume()
    response.writeHead(204).end()
  })
  const url = await listen(t, server, address)
  return { invokes, calls, command: ['/mesh/node', '-e', agent(url)] }
}

// 300 ms is long enough that a kill interrupts runs. A cancelled run is answered at once, since its work has stopped.
function agent(url: string): string {
  return `
const { createServer, request } = require('node:http')
const stops = new Map()
createServer((asked, answer) => {
  if (asked.url === '/healthz') return answer.writeHead(200).end()
  const reply = (code, body) => answer.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const id = asked.headers['x-mesh-run-id']
  const parts = []
  asked.on('data', (part) => parts.push(part)).on('end', () => {
    const path = asked.url + '/' + id + '/' + require('node:os').hostname()
    // No idle connection of a busy log server is used.
    const report = request('${url}' + path, { method: 'POST', agent: false }, (received) => {
      received.resume()
      if (asked.url === '/cancel') return stops.get(id)?.(), reply(200, {})
      const end = () => (clearTimeout(timer), stops.delete(id), reply(200, { output: 'done' }))
      const timer = setTimeout(end, JSON.parse(Buffer.concat(parts)).input.ms ?? 300)
      stops.set(id, end)
    })
    report.on('error', (error) => reply(500, { error: { message: String(error) } }))
    report.end()
  })
}).listen(Number(process.env.AGENT_PORT), '127.0.0.1')`
}
