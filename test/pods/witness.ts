import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Scope } from '#test/harness/scope.ts'

/** Counts invokes outside the cluster: what an agent was asked to do, whatever the platform's own records say. */
export interface Witness {
  /** Invokes of each run. */
  readonly invokes: ReadonlyMap<string, number>
  /** The command of an agent that tells the witness of each invoke, works for a while and answers. */
  readonly command: readonly string[]
}

/** Listens on an address that pods reach. */
export async function startWitness(t: Scope, address: string): Promise<Witness> {
  const invokes = new Map<string, number>()
  const server = createServer((request, response) => {
    const runId = (request.url ?? '').slice(1)
    invokes.set(runId, (invokes.get(runId) ?? 0) + 1)
    request.resume()
    response.writeHead(204).end()
  })
  server.listen(0, address)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port was given by the system')
  return { invokes, command: ['/mesh/node', '-e', agent(`http://${address}:${bound.port}`)] }
}

// Long enough (300 ms) that a kill finds runs under way.
function agent(url: string): string {
  return `
const { createServer, request } = require('node:http')
createServer((asked, answer) => {
  asked.resume()
  if (asked.url === '/healthz') return answer.writeHead(200).end()
  const reply = (code, body) => answer.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const told = request('${url}/' + asked.headers['x-mesh-run-id'], { method: 'POST' }, (heard) => {
    heard.resume()
    setTimeout(() => reply(200, { output: 'done' }), 300)
  })
  told.on('error', (error) => reply(500, { error: { message: String(error) } }))
  told.end()
}).listen(Number(process.env.AGENT_PORT), '127.0.0.1')`
}
