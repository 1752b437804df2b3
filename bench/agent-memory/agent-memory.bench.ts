import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Pool } from 'undici'
import { startAll } from '#test/flows/platform/embedded.ts'
import type { AllProcess } from '#test/flows/platform/embedded.ts'
import { startRedis } from '#test/harness/redis.ts'
import { runLoad, warmUp } from '../runs/callers.ts'
import type { Operation } from '../runs/callers.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const calls = Number(process.env.BENCH_CALLS ?? 4_000)
const callers = 32
const entriesOfRead = 10
const entry = JSON.stringify({ role: 'user', content: 'x'.repeat(200) })
// The agent is one service account, and the bench sends more than a pod does.
const settings = 'limits: {perCallerPerMinute: 1000000, underWay: 2000, underWayPerCaller: 1000, turnsPerCaller: 64}\n'

/** Append and read of session memory through port 2998 on Redis, beside redis-benchmark on the same server. */
export const bench: Bench = {
  title: `session memory through port 2998 on Redis, ${callers} callers`,
  database: 'fresh',
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const redis = await startRedis(t)
        const file = join(folder, 'mesh.yaml')
        // The embedded platform ignores REDIS_URL, which may be meant for another program.
        writeFileSync(file, `${settings}redisUrl: ${redis.url}\n`)
        const platform = await startAll(t, join(folder, 'data'), { flags: ['--no-demo'], env: { MESH_CONFIG: file } })
        const port = await startAgent(platform, 'bench', {})
        const untraced = await startAgent(platform, 'untraced', { tracePolicy: { capture: 'none' } })
        const candidates = [
          overPort('port 2998', port, platform.pid),
          // What the spans of calls cost: each is sent to the store of traces.
          overPort('port 2998, no spans stored', untraced, platform.pid),
          await bare(t, redis.url),
          floor(Number(new URL(redis.url).port)),
        ]
        return interleave(candidates, { rounds: 5, most: 9 })
      }),
    ),
  // Two hops do not reach Redis itself, so the goal is what two bare servers cost; redis-benchmark stands beside them.
  goals: (figureOf) =>
    ['append us', 'read us'].map((figure) => ({
      number: 6,
      text: `CPU of ${figure === 'append us' ? 'an append' : 'a read'} against two bare servers of node:http, ratio`,
      value: figureOf('port 2998, no spans stored', figure) / figureOf('bare node:http, two processes', figure),
      limit: 1.8,
      peer: { candidate: 'bare node:http, two processes', figure },
    })),
}

// Two servers of node:http, as launcher and state role are, that check nothing.
async function bare(t: Scope, redisUrl: string): Promise<Candidate> {
  const program = fileURLToPath(import.meta.resolve('./bare-process.ts'))
  const child = spawn(process.execPath, ['--max-semi-space-size=4', program], {
    env: { PATH: process.env.PATH, REDIS_URL: redisUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return overPort('bare node:http, two processes', Number(String(port)), child.pid ?? 0)
}

// CPU of the platform with its launcher, which are one tree of processes.
function overPort(name: string, port: number, pid: number): Candidate {
  let round = 0
  return {
    name,
    async run() {
      const pool = new Pool(`http://127.0.0.1:${port}`, { connections: callers, pipelining: 1 })
      const conversation = `bench-${round++}`
      let count = 0
      const append = post(() => `/memory/${conversation}-${Math.floor(count++ / 100)}/append`)
      const read: Operation = async (to) => {
        const { statusCode, body } = await to.request({ path: `/memory/${conversation}-read`, method: 'GET' })
        const text = await body.text()
        if (statusCode !== 200 || text.length < entriesOfRead * 200) throw new Error(`${statusCode} ${text}`)
      }
      try {
        await runLoad(
          pool,
          post(() => `/memory/${conversation}-read/append`),
          { callers: 1, count: entriesOfRead },
        )
        await warmUp(pool, append, { callers, count: Math.ceil(calls / 4) })
        const [before, appends] = [cpuOf(pid), await runLoad(pool, append, { callers, count: calls })]
        const [between, reads] = [cpuOf(pid), await runLoad(pool, read, { callers, count: calls })]
        return {
          'append us': (between - before) / calls,
          'read us': (cpuOf(pid) - between) / calls,
          'appends per second': appends['per second'],
          'append p50 ms': appends['p50 ms'],
          'reads per second': reads['per second'],
          'read p50 ms': reads['p50 ms'],
        }
      } finally {
        await pool.destroy()
      }
    },
  }
}

function post(path: () => string): Operation {
  const headers = { 'content-type': 'application/json' }
  return async (to) => {
    const { statusCode, body } = await to.request({ path: path(), method: 'POST', headers, body: entry })
    const text = await body.text()
    if (statusCode !== 201) throw new Error(`${statusCode} ${text}`)
  }
}

// The same server with the same number of connections, without a network hop, a parser or a check of rights.
function floor(port: number): Candidate {
  const run = promisify(execFile)
  const measure = async (command: readonly string[]) => {
    const options = ['-p', String(port), '-c', String(callers), '-n', String(calls * 10), '--csv']
    const { stdout } = await run('redis-benchmark', [...options, ...command])
    // The name of the test, which has the entry with its commas, comes before seven figures.
    const figures = [...stdout.matchAll(/"(\d+\.\d+)"/g)].slice(-7).map(([, figure]) => Number(figure))
    const [rate = Number.NaN, , , p50 = Number.NaN] = figures
    return { rate, p50 }
  }
  return {
    name: 'redis-benchmark',
    async run() {
      for (let count = 0; count < entriesOfRead; count++)
        await run('redis-cli', ['-p', String(port), 'RPUSH', 'r', entry])
      await run('redis-cli', ['-p', String(port), 'LTRIM', 'r', '0', String(entriesOfRead - 1)])
      const appends = await measure(['-r', '1000', 'RPUSH', 'list:__rand_int__', entry])
      const reads = await measure(['LRANGE', 'r', '0', '-1'])
      return {
        'appends per second': appends.rate,
        'append p50 ms': appends.p50,
        'reads per second': reads.rate,
        'read p50 ms': reads.p50,
      }
    },
  }
}

// An agent that answers with the port of its memory.
async function startAgent({ ready }: AllProcess, name: string, more: object): Promise<number> {
  const source = `require('node:http').createServer((q, a) => { a.setHeader('content-type', 'application/json');
    q.resume(); a.end(JSON.stringify({ output: process.env.MEMORY_PORT })) }).listen(process.env.AGENT_PORT, '127.0.0.1')`
  const config = { name, runtime: { command: ['node', '-e', source] }, memory: { session: {} }, ...more }
  const api = (path: string, body: object) =>
    fetch(`${ready.url}/api${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.tokens.developer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const made = await api('/agents', { namespace: 'default', config })
  if (made.status !== 201) throw new Error(await made.text())
  for (;;) {
    const answer = await api('/invoke', { agent: { namespace: 'default', name }, input: 1 })
    const { output } = (await answer.json()) as { output?: string }
    if (output !== undefined) return Number(output)
    await sleep(200)
  }
}
