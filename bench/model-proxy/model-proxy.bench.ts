import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { bundleLauncher } from '../../scripts/images/bundle.ts'
import { runLoad, warm } from '../runs/callers.ts'
import type { Operation } from '../runs/callers.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { childrenOf, cpuOf, memoryOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import { peersFolder, startPeers } from './peers.ts'
import type { Peer } from './peers.ts'
import { peerGoals } from './peer-goals.ts'
import type { Candidate } from '../tools/rounds.ts'

const calls = Number(process.env.BENCH_CALLS ?? 6000)
const streams = Math.ceil(calls / 20)
const messages = [{ role: 'user', content: 'Say hello to the bench.' }]
const path = '/v1/chat/completions'
const reason =
  'A call within a budget makes two more exchanges, to hold money and to settle, where the peers and bare undici make one.'
/** Another working copy, whose launcher is measured beside this one. */
const formerCopy = process.env.BENCH_BEFORE
const program = (name: string): string => fileURLToPath(import.meta.resolve(name))

/** CPU of one model call through port 2996, beside a bare forwarder. */
export const bench: Bench = {
  title: 'one model call through the launcher (CPU-us), 64 callers',
  measure: () =>
    inFolder(async (folder) => {
      const started: ChildProcess[] = []
      try {
        const upstream = await start([program('./upstream-process.ts')], {}, started)
        const bare = (env: Record<string, string>) =>
          start([program('./bare-process.ts')], { UPSTREAM: upstream.url, ...env }, started)
        const bundle = join(folder, 'launcher.mjs')
        await bundleLauncher(root, bundle)
        const launcher = (name: string, plugins: object, file = bundle) =>
          startLauncher({ folder, bundle: file, name, plugins, upstream: upstream.url }, started)
        const money = { budgets: { money: true } }
        const candidates = {
          'bare undici': await bare({}),
          'bare undici, three exchanges': await bare({ EXCHANGES: '3' }),
          'launcher, neither budget nor guardrails': await launcher('none', {}),
          'launcher, budget': await launcher('money', money),
          'launcher, budget and guardrails': await launcher('guards', { ...money, guardrails: { enabled: true } }),
          ...(formerCopy === undefined
            ? {}
            : { 'launcher, budget, before': await launcher('before', money, await bundled(formerCopy, folder)) }),
          ...(await startPeers(folder, upstream.url, started)),
        }
        const measured = await interleave(
          Object.entries(candidates).map(([name, one]) => candidate(name, one)),
          { rounds: 5, most: 9 },
        )
        const notes = [
          reason,
          ...(measured.notes ?? []),
          ...(peersFolder === undefined ? ['No peers: BENCH_PEERS names no folder.'] : []),
        ]
        return { ...measured, notes }
      } finally {
        for (const child of started) child.kill('SIGKILL')
      }
    }),
  goals: (figureOf, has) => {
    const ratio = (figure: string, floor: string): number =>
      figureOf('launcher, budget', figure) / figureOf(floor, figure)
    const peer = { candidate: 'bare undici', figure: 'call us' }
    return [
      { number: 1, text: 'call against bare undici, ratio', value: ratio('call us', 'bare undici'), limit: 1.3, peer },
      {
        number: 1,
        text: 'call against bare undici with as many exchanges, ratio',
        value: ratio('call us', 'bare undici, three exchanges'),
        limit: 1,
        peer: { candidate: 'bare undici, three exchanges', figure: 'call us' },
      },
      { number: 1, text: 'call within a budget, CPU-us', value: figureOf('launcher, budget', 'call us'), limit: 80 },
      {
        number: 2,
        text: 'stream of 32 frames against bare undici, ratio',
        value: ratio('stream us', 'bare undici'),
        limit: 1.3,
        peer: { candidate: 'bare undici', figure: 'stream us' },
      },
      {
        number: 3,
        text: 'memory after the load against bare undici, ratio',
        value: ratio('rss MB', 'bare undici'),
        limit: 1.9,
        peer: { candidate: 'bare undici', figure: 'rss MB' },
      },
      ...peerGoals(figureOf, has),
    ]
  },
}

async function bundled(from: string, folder: string): Promise<string> {
  const file = join(folder, 'before.mjs')
  await bundleLauncher(from, file)
  return file
}

interface Started {
  readonly pid: number
  readonly url: string
}

function candidate(name: string, { pid, url, headers = {}, share = 1 }: Peer): Candidate {
  const [most, mostStreams] = [Math.ceil(calls * share), Math.max(64, Math.ceil(streams * share))]
  const whole = operationOf({ model: 'mock', max_tokens: 64, messages }, headers)
  const stream = operationOf({ model: 'mock', max_tokens: 64, messages, stream: true }, headers)
  const cpu = (): number => cpuOf(pid)
  return {
    name,
    warm: () =>
      withPool(url, async (pool) => {
        const plain = await warm(pool, whole, { cpu, callers: 64, round: most })
        await warm(pool, stream, { cpu, callers: 64, round: mostStreams })
        return plain
      }),
    run: () =>
      withPool(url, async (pool) => {
        const measured = async (operation: Operation, count: number) => {
          const before = cpu()
          const load = await runLoad(pool, operation, { callers: 64, count })
          return { us: (cpu() - before) / count, load }
        }
        const plain = await measured(whole, most)
        const streamed = await measured(stream, mostStreams)
        return {
          'call us': plain.us,
          'per second': plain.load['per second'],
          'p50 ms': plain.load['p50 ms'],
          'p99 ms': plain.load['p99 ms'],
          'stream us': streamed.us,
          'rss MB': [pid, ...childrenOf(pid)].reduce((sum, one) => sum + memoryOf(one).rss, 0),
        }
      }),
  }
}

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = new Pool(url, { connections: 64, pipelining: 1 })
  try {
    return await work(pool)
  } finally {
    await pool.destroy()
  }
}

function operationOf(request: object, more: Readonly<Record<string, string>>): Operation {
  const body = JSON.stringify(request)
  return async (pool) => {
    const headers = { 'content-type': 'application/json', ...more }
    const answer = await pool.request({ path, method: 'POST', headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || !text.includes('word '))
      throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`)
  }
}

async function start(args: readonly string[], env: Record<string, string>, started: ChildProcess[]): Promise<Started> {
  const options = { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] as const }
  const child = spawn(process.execPath, ['--max-semi-space-size=4', ...args], { ...options, stdio: [...options.stdio] })
  started.push(child)
  const [line] = (await once(createInterface({ input: child.stdout as Readable }), 'line')) as [string]
  return { pid: child.pid ?? 0, url: `http://127.0.0.1:${line}` }
}

interface LauncherOptions {
  readonly folder: string
  readonly bundle: string
  readonly name: string
  readonly plugins: object
  readonly upstream: string
}

async function startLauncher(options: LauncherOptions, started: ChildProcess[]): Promise<Started> {
  const { folder, bundle, name, plugins, upstream } = options
  const config = join(folder, `${name}.json`)
  const model = { route: 'mock' }
  writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1', model, plugins }))
  const env = {
    PATH: process.env.PATH,
    MESH_AGENT_CONFIG: config,
    MESH_UNSIGNED: 'true',
    MESH_BIND: '127.0.0.1',
    MESH_LAUNCHER_PORT: '0',
    DELEGATE_PORT: '0',
    MESH_BUDGET_PORT: '0',
    MODEL_GATEWAY_URL: upstream,
    STATE_URL: upstream,
  }
  const child = spawn(process.execPath, ['--max-semi-space-size=4', bundle], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  started.push(child)
  // Not a loop over the lines: its end would close the pipe.
  const reader = createInterface({ input: child.stderr })
  const { promise, resolve, reject } = Promise.withResolvers<Started>()
  reader.on('line', (line) => {
    const { listener, port } = JSON.parse(line) as { listener?: string; port?: number }
    if (listener === 'budget') resolve({ pid: child.pid ?? 0, url: `http://127.0.0.1:${port}` })
  })
  child.once('exit', () => reject(new Error('the launcher ended')))
  const ready = await promise
  // Its log is read, and not parsed.
  reader.removeAllListeners('line')
  child.removeAllListeners('exit')
  return ready
}
