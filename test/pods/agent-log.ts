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
  const received = new Set<string>()
  const server = createServer((request, response) => {
    const [, what, runId = '', pod = '', report = ''] = (request.url ?? '').split('/')
    request.resume()
    response.writeHead(204).end()
    // A report whose response was lost is sent again.
    if (received.has(report)) return
    received.add(report)
    if (what === 'invoke') invokes.set(runId, (invokes.get(runId) ?? 0) + 1)
    if (what === 'invoke' || what === 'cancel') calls.push({ what, runId, pod })
  })
  const url = await listen(t, server, address)
  return { invokes, calls, command: ['/mesh/node', '-e', agent(url)] }
}

// 300 ms is long enough that a kill interrupts runs. A cancelled run is answered immediately, since its work has stopped.
function agent(url: string): string {
  return `
const { createServer, request } = require('node:http')
const stops = new Map()
// No idle connection of a busy log server is used, and a lost one is repeated.
const report = (url, tries, done) => {
  const sent = request(url, { method: 'POST', agent: false }, (received) => (received.resume(), done()))
  sent.on('error', (error) => (tries > 1 ? setTimeout(report, 300, url, tries - 1, done) : done(error))).end()
}
createServer((asked, answer) => {
  if (asked.url === '/healthz') return answer.writeHead(200).end()
  const reply = (code, body) => answer.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const id = asked.headers['x-mesh-run-id']
  const parts = []
  asked.on('data', (part) => parts.push(part)).on('end', () => {
    const path = [asked.url, id, require('node:os').hostname(), require('node:crypto').randomUUID()].join('/')
    report('${url}' + path, 10, (error) => {
      if (error) return reply(500, { error: { message: 'no report: ' + error } })
      if (asked.url === '/cancel') return stops.get(id)?.(), reply(200, {})
      const end = () => (clearTimeout(timer), stops.delete(id), reply(200, { output: 'done' }))
      const timer = setTimeout(end, JSON.parse(Buffer.concat(parts)).input.ms ?? 300)
      stops.set(id, end)
    })
  })
}).listen(Number(process.env.AGENT_PORT), '127.0.0.1')`
}
