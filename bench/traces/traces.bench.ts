import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
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
import { encodeBatch } from './encode-batch.ts'
import { readTrace } from './read-trace.ts'

const perSecond = Number(process.env.BENCH_SPANS ?? 20_000)
const seconds = 5
const batch = 512

/** Requests to a launcher while its agent sends spans, and the read of a trace. */
export const bench: Bench = {
  title: `requests to a launcher (ms) while its agent sends ${perSecond} spans/s over HTTP, and a trace of 1,000 spans`,
  database: 'fresh',
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const { pid, http, delegate, sentOn } = await startCollecting(t, folder)
        const trace = await readTrace(t)
        const requests = (name: string, load: () => Promise<Record<string, number>>): Candidate => ({
          name,
          run: async () => {
            const before = cpuOf(pid)
            const stop = startProbe(`http://127.0.0.1:${delegate}`)
            const figures = await load()
            return { ...figures, ...(await stop()), 'cores of the launcher': (cpuOf(pid) - before) / (seconds * 1e6) }
          },
        })
        const candidates = [
          requests('no spans', () => sleep(seconds * 1000, {})),
          requests('spans', () => sendSpans(http, sentOn)),
          { name: 'trace of 1,000 spans', run: trace },
        ]
        return interleave(candidates, { rounds: 5, most: 8 })
      }),
    ),
  goals: (figureOf) => [
    {
      text: 'spans per second taken',
      value: figureOf('spans', 'spans per second'),
      limit: 0.98 * perSecond,
      atLeast: true,
    },
    {
      text: 'share of the spans that is sent on',
      value: figureOf('spans', 'share sent on'),
      limit: 0.99,
      atLeast: true,
    },
    {
      text: 'p99 of a request with spans against without, ratio',
      value: figureOf('spans', 'p99 ms') / figureOf('no spans', 'p99 ms'),
      limit: 1.2,
      peer: { candidate: 'no spans', figure: 'p99 ms' },
    },
    {
      text: 'p50 of a request with spans against without, ratio',
      value: figureOf('spans', 'p50 ms') / figureOf('no spans', 'p50 ms'),
      limit: 1.2,
      peer: { candidate: 'no spans', figure: 'p50 ms' },
    },
    { text: 'trace of 1,000 spans, ms', value: figureOf('trace of 1,000 spans', 'p50 ms'), limit: 50 },
  ],
}

/** Bundled launcher of an agent that never answers, whose spans go to a server that takes all. */
async function startCollecting(t: Scope, folder: string) {
  const bundle = join(folder, 'launcher.mjs')
  await bundleLauncher(root, bundle)
  const config = join(folder, 'agent.json')
  const traces = { store: true, capture: 'metadata', redact: [], sampleRate: 1 }
  writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1', plugins: { traces } }))
  let spans = 0
  const state = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    spans += countOf(Buffer.concat(chunks), '"traceId"')
    response.setHeader('content-type', 'application/json').end('{"rejected":0}')
  })
  const child = spawn(process.execPath, ['--max-semi-space-size=4', bundle, '--', 'sleep', '3600'], {
    env: {
      PATH: process.env.PATH,
      MESH_AGENT_CONFIG: config,
      MESH_UNSIGNED: 'true',
      MESH_BIND: '127.0.0.1',
      STATE_URL: await listen(t, state),
      MESH_LAUNCHER_PORT: '0',
      DELEGATE_PORT: '0',
      OTLP_GRPC_PORT: '0',
      OTLP_HTTP_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const open = await untilOpen(child)
  return { pid: child.pid ?? 0, http: open['otlpHttp'] ?? 0, delegate: open['delegate'] ?? 0, sentOn: () => spans }
}

// Without a text of each batch: the sender of the spans runs here, too.
function countOf(bytes: Buffer, text: string): number {
  let count = 0
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) count++
  return count
}

async function untilOpen(child: ChildProcess): Promise<Record<string, number>> {
  const open: Record<string, number> = {}
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream })
  for await (const line of lines) {
    const { listener, port } = JSON.parse(line) as { listener?: string; port?: number }
    if (listener !== undefined) open[listener] = port ?? 0
    if (listener === 'invoke') break
  }
  child.stderr?.resume()
  return open
}

async function sendSpans(port: number, sentOn: () => number): Promise<Record<string, number>> {
  const before = sentOn()
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 8, pipelining: 1 })
  const body = encodeBatch(batch)
  const started = performance.now()
  const open = new Set<Promise<unknown>>()
  let taken = 0
  for (let sent = 0; performance.now() - started < seconds * 1000; sent += batch) {
    const due = started + (sent / perSecond) * 1000
    if (performance.now() < due) await sleep(due - performance.now())
    const one = sendBatch(pool, body).then((count) => (taken += count))
    open.add(one)
    one.finally(() => open.delete(one)).catch(() => undefined)
  }
  await Promise.all(open)
  const elapsed = (performance.now() - started) / 1000
  await pool.close()
  // The last ones wait for a flush.
  await sleep(1_500)
  return { 'spans per second': taken / elapsed, 'share sent on': (sentOn() - before) / taken }
}

async function sendBatch(pool: Pool, body: Buffer): Promise<number> {
  const headers = { 'content-type': 'application/x-protobuf' }
  const { statusCode, body: answer } = await pool.request({ path: '/v1/traces', method: 'POST', headers, body })
  await answer.dump()
  return statusCode === 200 ? batch : 0
}

function startProbe(origin: string): () => Promise<Record<string, number>> {
  const probe = new Worker(new URL('./probe-thread.ts', import.meta.url), { workerData: origin })
  return async () => {
    const answered = once(probe, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    probe.postMessage('stop')
    const [times] = (await answered) as [Record<string, number>]
    return times
  }
}
