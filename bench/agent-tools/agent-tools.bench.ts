import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { startAll } from '#test/flows/platform/embedded.ts'
import { freePort } from '#test/harness/free-port.ts'
import type { Scope } from '#test/harness/scope.ts'
import { peersFolder } from '../model-proxy/peers.ts'
import { runLoad, warmUp } from '../runs/callers.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { startToolAgent } from './start-agent.ts'
import { message } from './tool-messages.ts'

const calls = Number(process.env.BENCH_CALLS ?? 400)
const lists = calls * 5
const callers = 8
// The agent is one service account, and the bench sends more than a pod does.
const settings = `limits: {perCallerPerMinute: 1000000, underWay: 2000, underWayPerCaller: 1000, turnsPerCaller: 64}
mcp: {sessionSeconds: ${Number(process.env.BENCH_SESSION_SECONDS ?? 10)}}
`
const proxy = `import sys
from fastmcp.server import create_proxy
create_proxy(sys.argv[1]).run(transport="http", host="127.0.0.1", port=int(sys.argv[2]),
    stateless_http=True, json_response=True, show_banner=False, log_level="error")
`

/** Tools through port 2999, beside the server itself and a proxy of FastMCP (`venv` with `fastmcp` in BENCH_PEERS). */
export const bench: Bench = {
  title: `tools of an MCP server through port 2999, ${callers} callers for lists and one for calls`,
  database: 'fresh',
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const { pid: upstreamPid, url } = await startUpstream(t)
        const file = join(folder, 'mesh.yaml')
        writeFileSync(file, settings)
        const env = { MESH_CONFIG: file, MESH_OUTBOUND_ALLOW: '127.0.0.1' }
        const platform = await startAll(t, join(folder, 'data'), { flags: ['--no-demo'], env })
        const endpoint = await startToolAgent(platform, url)
        const peer = await startFastMcp(t, folder, url)
        return interleave(
          [
            over('port 2999', { pid: platform.pid, url: endpoint, tool: 'x_echo' }),
            over('the server itself', { pid: upstreamPid, url: new URL(url).origin, tool: 'echo' }),
            ...(peer === undefined ? [] : [over('FastMCP proxy', { ...peer, tool: 'echo' })]),
          ],
          { rounds: 5, most: 9 },
        )
      }),
    ),
  goals: (figureOf, has) => [
    ...(has('FastMCP proxy')
      ? [
          {
            number: 7,
            text: 'lists per second against a FastMCP proxy, ratio',
            value: figureOf('port 2999', 'lists per second') / figureOf('FastMCP proxy', 'lists per second'),
            limit: 10,
            atLeast: true,
            peer: { candidate: 'FastMCP proxy', figure: 'lists per second' },
          },
        ]
      : []),
    {
      number: 7,
      text: 'added to a call, ms',
      value: figureOf('port 2999', 'call p50 ms') - figureOf('the server itself', 'call p50 ms'),
      limit: 0.8,
      atLeast: false,
      peer: { candidate: 'the server itself', figure: 'call p50 ms' },
    },
  ],
}

interface Endpoint {
  readonly pid: number
  readonly url: string
}

// CPU of the platform with its launcher, which are one tree of processes.
function over(name: string, { pid, url, tool }: Endpoint & { readonly tool: string }): Candidate {
  const [list, call] = [message('tools/list'), message('tools/call', tool)]
  return {
    name,
    async run() {
      const pool = new Pool(url, { connections: callers, pipelining: 1 })
      try {
        await warmUp(pool, list, { callers, count: Math.ceil(lists / 4) })
        await warmUp(pool, call, { callers: 1, count: Math.ceil(calls / 4) })
        const [before, listed] = [cpuOf(pid), await runLoad(pool, list, { callers, count: lists })]
        const [between, called] = [cpuOf(pid), await runLoad(pool, call, { callers: 1, count: calls })]
        return {
          'list us': (between - before) / lists,
          'call us': (cpuOf(pid) - between) / calls,
          'lists per second': listed['per second'],
          'list p50 ms': listed['p50 ms'],
          'calls per second': called['per second'],
          'call p50 ms': called['p50 ms'],
        }
      } finally {
        await pool.destroy()
      }
    },
  }
}

async function startUpstream(t: Scope): Promise<Endpoint> {
  const program = join(import.meta.dirname, 'upstream-server.ts')
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { pid: child.pid ?? 0, url: line.toString().trim() }
}

async function startFastMcp(t: Scope, folder: string, upstream: string): Promise<Endpoint | undefined> {
  const python = join(peersFolder ?? folder, 'venv/bin/python')
  if (!existsSync(join(python, '../fastmcp'))) return undefined
  const file = join(folder, 'proxy.py')
  writeFileSync(file, proxy)
  const port = await freePort()
  const child = spawn(python, [file, upstream, String(port)], { stdio: 'ignore' })
  t.after(() => child.kill())
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 300; tries++) {
    const found = await fetch(`${url}/mcp`).catch(() => undefined)
    if (found !== undefined) return { pid: child.pid ?? 0, url }
    await sleep(200)
  }
  throw new Error('FastMCP does not listen')
}
