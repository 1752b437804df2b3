import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAll } from '#test/flows/platform/embedded.ts'
import type { AllProcess } from '#test/flows/platform/embedded.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { askApi, connectConsented, connectStatic } from './consented-server.ts'
import type { ConnectedServer } from './consented-server.ts'

const calls = Number(process.env.BENCH_CALLS ?? 200)
const namespace = 'default'
const settings = `limits: {perCallerPerMinute: 1000000, underWay: 2000, underWayPerCaller: 1000, turnsPerCaller: 64}
`
// Calls its tool one call after another within its run, and returns the time of each. A probe has no body.
const program = `require('node:http').createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { count = 0, tool } = body === '' ? {} : JSON.parse(body).input
  const headers = { 'content-type': 'application/json', 'x-mesh-run-id': request.headers['x-mesh-run-id'] }
  const took = []
  let failure = null
  for (let made = 0; made < count && failure === null; made++) {
    const from = performance.now()
    const url = 'http://127.0.0.1:' + process.env.DISCOVERY_PORT + '/tools/' + tool + '/call'
    const answer = await fetch(url, { method: 'POST', headers, body: '{"arguments":{"text":"x"}}' })
    const text = await answer.text()
    took.push(performance.now() - from)
    if (answer.status !== 200) failure = answer.status + ' ' + text
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ output: { took, failure } }))
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

/** Tool calls of runs at a server with a static credential, and at one to which the person who started the run has consented. */
export const bench: Bench = {
  title: `${calls} tool calls of a run, one after another, with a static credential and with the token of a consent`,
  database: 'fresh',
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const file = join(folder, 'mesh.yaml')
        writeFileSync(file, settings)
        const env = { MESH_CONFIG: file, MESH_OUTBOUND_ALLOW: '127.0.0.1' }
        const platform = await startAll(t, join(folder, 'data'), { flags: ['--no-demo'], env })
        const servers = [await connectStatic(t, platform), await connectConsented(t, platform)]
        await startAgent(platform, servers)
        return interleave(
          servers.map((server) => candidateOf(platform, server)),
          { rounds: 5, most: 9 },
        )
      }),
    ),
  goals: (figureOf) => {
    const against = (figure: string): number => figureOf('consented', figure) / figureOf('static', figure)
    const peer = (figure: string) => ({ candidate: 'static', figure })
    return [
      {
        text: 'requests to the server of tools per call, consented against static, ratio',
        value: against('server requests'),
        limit: 1,
        peer: peer('server requests'),
      },
      {
        text: 'requests to the authorization server per consented call',
        value: figureOf('consented', 'authorization requests'),
        limit: 0,
      },
      {
        text: 'p50 of a call, consented against static, ratio',
        value: against('p50 ms'),
        limit: 1.05,
        peer: peer('p50 ms'),
      },
    ]
  },
}

async function startAgent(platform: AllProcess, servers: readonly ConnectedServer[]): Promise<void> {
  for (const { name } of servers)
    await askApi(platform, '/mcptoolbindings', { metadata: { namespace, name }, spec: { serverRef: { name } } })
  const tools = servers.map(({ name }) => ({ name, bindingRef: { name } }))
  const config = { name: 'bench', runtime: { command: ['node', '-e', program] }, tools }
  await askApi(platform, '/agents', { namespace, config })
  for (const server of servers) await untilUsable(platform, server)
}

// The manager reads the manifest with the grant, and the launcher learns of the tools, after their creation.
async function untilUsable(platform: AllProcess, server: ConnectedServer): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      await callTools(platform, server, 1)
      return
    } catch (error) {
      if (tries === 150) throw error
      await sleep(400)
    }
}

async function callTools(platform: AllProcess, { name }: ConnectedServer, count: number): Promise<readonly number[]> {
  const input = { count, tool: `${name}_echo` }
  const run = await askApi(platform, '/invoke', { agent: { namespace, name: 'bench' }, input })
  const { took, failure } = (run['output'] ?? { took: [], failure: JSON.stringify(run) }) as Outcome
  if (failure !== null) throw new Error(failure)
  return took
}

interface Outcome {
  readonly took: readonly number[]
  readonly failure: string | null
}

function candidateOf(platform: AllProcess, server: ConnectedServer): Candidate {
  return {
    name: server.name,
    async run() {
      await callTools(platform, server, Math.ceil(calls / 4))
      const [before, cpu] = [server.seen(), cpuOf(platform.pid)]
      const took = await callTools(platform, server, calls)
      const after = server.seen()
      return {
        'server requests': (after.server - before.server) / calls,
        'authorization requests': (after.authorization - before.authorization) / calls,
        'call us': (cpuOf(platform.pid) - cpu) / calls,
        'p50 ms': quantile(took, 0.5),
        'p99 ms': quantile(took, 0.99),
      }
    },
  }
}
