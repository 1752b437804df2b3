import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { bundleLauncher } from '../../scripts/images/bundle.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const runs = Number(process.env.BENCH_RUNS ?? 100)
/** A fast model. */
const responseMs = 10
const prompt = 'You answer questions of customers of a shop, in one sentence and in their language. '.repeat(50)
const text = 'The order is on its way and arrives on Monday. '.repeat(20)

/** A run of a declarative agent: two model calls of 4 KB and a tool call, with and without the capture of its contents. */
export const bench: Bench = {
  title: `a run with two model calls of ${responseMs} ms and a tool call (ms), by what its traces capture`,
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const bundle = join(folder, 'launcher.mjs')
        await bundleLauncher(root, bundle)
        const upstream = await startUpstream(t)
        const candidates: Candidate[] = []
        for (const capture of ['metadata', 'full'] as const)
          candidates.push(await candidateOf(t, { bundle, folder, capture, upstream }))
        return interleave(candidates, { rounds: 7, most: 9 })
      }),
    ),
  goals: (figureOf) => [
    {
      text: 'p50 of a run with capture full against metadata, ratio',
      value: figureOf('full', 'p50 ms') / figureOf('metadata', 'p50 ms'),
      limit: 1.05,
      peer: { candidate: 'metadata', figure: 'p50 ms' },
    },
  ],
}

interface CapturingAgent {
  readonly bundle: string
  readonly folder: string
  readonly capture: 'full' | 'metadata'
  readonly upstream: string
}

async function candidateOf(t: Scope, { bundle, folder, capture, upstream }: CapturingAgent): Promise<Candidate> {
  const config = join(folder, `${capture}.json`)
  const traces = { store: true, capture, redact: ['email', 'CUST-[0-9]{6}'], sampleRate: 1 }
  const model = { route: 'mock' }
  const agent = { name: 'robot', namespace: 'default', uid: 'uid-1', systemPrompt: prompt, model }
  writeFileSync(config, JSON.stringify({ ...agent, tools: [{ name: 'calculate' }], plugins: { traces } }))
  const child = spawn(process.execPath, ['--max-semi-space-size=4', bundle], {
    env: {
      PATH: process.env.PATH,
      MESH_AGENT_CONFIG: config,
      MESH_UNSIGNED: 'true',
      MESH_BIND: '127.0.0.1',
      STATE_URL: upstream,
      MODEL_GATEWAY_URL: upstream,
      MESH_LAUNCHER_PORT: '0',
      DELEGATE_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const pool = new Pool(`http://127.0.0.1:${await portOf(child)}`, { connections: 1 })
  t.after(() => pool.destroy())
  const measure = (count: number) => runMany(pool, count, () => cpuOf(child.pid ?? 0))
  await measure(runs)
  return { name: capture, run: () => measure(runs) }
}

async function runMany(pool: Pool, count: number, cpu: () => number): Promise<Record<string, number>> {
  const times: number[] = []
  const before = cpu()
  for (let made = 0; made < count; made++) {
    const startedAt = performance.now()
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/invoke',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Where is my order CUST-123456? Write to ann@example.com.' }),
    })
    const outcome = (await body.json()) as { readonly state: string }
    if (statusCode !== 200 || outcome.state !== 'succeeded') throw new Error(JSON.stringify(outcome))
    times.push(performance.now() - startedAt)
  }
  // What runs left to do belongs to them.
  await sleep(200)
  const sorted = times.toSorted((a, b) => a - b)
  return { 'p50 ms': sorted[Math.floor(count / 2)] ?? 0, 'CPU us of a run': (cpu() - before) / count }
}

/** A gateway that calls a tool first, and a state role that takes all spans. */
async function startUpstream(t: Scope): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    if (request.url !== '/v1/chat/completions') {
      response.setHeader('content-type', 'application/json').end('{"accepted":1,"rejected":0}')
      return
    }
    await sleep(responseMs)
    answer(response, body.includes('"role":"tool"'))
  })
  return listen(t, server)
}

function answer(response: ServerResponse, isSecond: boolean): void {
  const call = { index: 0, id: 'c1', function: { name: 'calculate', arguments: '{"expression":"6*7"}' } }
  const words = isSecond ? text.split(/(?<= )/).map((content) => ({ content })) : [{ tool_calls: [call] }]
  const frame = (delta: object, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'x', model: 'mock', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    `${words.map((delta) => frame(delta)).join('')}${frame({}, isSecond ? 'stop' : 'tool_calls')}data: [DONE]\n\n`,
  )
}

async function portOf(child: ChildProcess): Promise<number> {
  if (child.stderr === null) throw new Error('the launcher has no log')
  const lines = createInterface({ input: child.stderr })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the launcher ended with ${code}`)))
    lines.on('line', (line) => {
      const { listener, port: open } = JSON.parse(line) as { readonly listener?: string; readonly port?: number }
      if (listener === 'invoke' && open !== undefined) resolve(open)
    })
  })
  return port
}
