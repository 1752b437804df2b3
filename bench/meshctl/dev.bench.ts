import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endsWithParent } from '#test/harness/server-process.ts'
import { prepareProgram } from '../../scripts/program/prepare-program.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'

const CALLS = 200
const program = join(root, 'scripts', 'program', 'start-meshctl.mjs')

/** A recording of `CALLS` model calls after a first run: in many runs of one, and in few runs of many, as agents with tools make them. */
const shapes = [
  { name: '1 call a run', runs: CALLS, calls: 1 },
  { name: '20 calls a run', runs: CALLS / 20, calls: 20 },
] as const
type Shape = (typeof shapes)[number]

/** `meshctl dev` until its agent is ready, and the replay of recordings of 200 calls. */
export const bench: Bench = {
  title: `meshctl dev until ready, and a replay of ${CALLS} calls (ms)`,
  measure: () =>
    inFolder(async (folder) => {
      // A start from sources is not what is installed.
      await prepareProgram(root)
      const candidates = [{ name: 'dev', run: () => startDev(folder, [], readyOf) }]
      for (const shape of shapes) {
        const own = join(folder, String(shape.calls))
        await record(own, shape)
        const run = () => startDev(own, ['--replay', 'run.json'], replayOf)
        candidates.push({ name: `dev --replay, ${shape.name}`, run })
      }
      return interleave(candidates, { rounds: 5, most: 8 })
    }),
  goals: (figureOf) => [
    { text: 'dev until ready, ms', value: figureOf('dev', 'ready ms'), limit: 3_000 },
    ...shapes.map(({ name }) => ({
      text: `replay of ${CALLS} calls, ${name}, ms`,
      value: figureOf(`dev --replay, ${name}`, 'replay ms'),
      limit: 2_000,
    })),
  ],
}

/** An agent that makes a number of model calls in each run. */
const programOf = (calls: number): string => `import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
const { AGENT_PORT, MODEL_GATEWAY_URL, MODEL_GATEWAY_TOKEN_FILE: file } = process.env
createServer(async (request, response) => {
  if (request.url !== '/invoke') return response.writeHead(404).end()
  const { input } = JSON.parse(Buffer.concat(await request.toArray()))
  const { 'x-mesh-run-id': run, traceparent } = request.headers
  const token = file === undefined ? {} : { authorization: 'Bearer ' + readFileSync(file, 'utf8').trim() }
  const headers = { 'content-type': 'application/json', 'x-mesh-run-id': run, traceparent, ...token }
  for (let call = 0; call < ${calls}; call++) {
    const body = JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: input + ', call ' + call }] })
    const answer = await fetch(MODEL_GATEWAY_URL + '/v1/chat/completions', { method: 'POST', headers, body })
    if (!answer.ok) return response.writeHead(500).end(await answer.text())
    await answer.text()
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: 'done' }))
}).listen(AGENT_PORT, '127.0.0.1')
`

const agentFile = 'name: bot\nmodel: {route: mock}\n'

/** A session of dev: its lines on standard output, and the signal that stops it. */
interface Session {
  readonly lines: AsyncIterator<string>
  readonly began: number
  stop(): void
}

async function startDev<T>(
  folder: string,
  args: readonly string[],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (!existsSync(join(folder, 'agent.yaml'))) writeFileSync(join(folder, 'agent.yaml'), agentFile)
  const command = { program: process.execPath, args: [program, 'dev', '-p', '0', ...args] }
  const [file, ...rest] = endsWithParent(command, 'TERM')
  const began = performance.now()
  const child = spawn(file, rest, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  try {
    return await work({ lines, began, stop: () => child.kill('SIGINT') })
  } finally {
    child.kill('SIGINT')
    await ended
  }
}

async function record(folder: string, { runs, calls }: Shape): Promise<void> {
  const recorded = runs + 1
  mkdirSync(folder)
  if (calls > 1) {
    writeFileSync(join(folder, 'agent.yaml'), `${agentFile}runtime: {command: [node, agent.mjs]}\n`)
    writeFileSync(join(folder, 'agent.mjs'), programOf(calls))
  }
  await startDev(folder, ['--record', 'run.json'], async ({ lines }) => {
    const url = await find(lines, /POST (http:\S+)/)
    const headers = { 'content-type': 'application/json' }
    for (let run = 0; run < recorded; run++) {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input: `question ${run}` }),
      })
      if (!response.ok) throw new Error(`a run is refused: ${await response.text()}`)
      await response.text()
    }
    for (let run = 0; run < recorded; run++) await find(lines, /^(recorded) in /)
  })
}

async function readyOf({ lines, began }: Session): Promise<Record<string, number>> {
  await find(lines, /(is ready)/)
  return { 'ready ms': performance.now() - began }
}

// From the end of the first run to that of the last: the start of the platform is the figure of `dev`.
async function replayOf({ lines, began }: Session): Promise<Record<string, number>> {
  await find(lines, /^(succeeded) /)
  const first = performance.now()
  await find(lines, /^(every recorded call was made as recorded)$/)
  const last = performance.now()
  return { 'replay ms': last - first, 'whole ms': last - began }
}

async function find(lines: AsyncIterator<string>, pattern: RegExp): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`${String(pattern)} was not printed`)
    const found = pattern.exec(value)?.[1]
    if (found !== undefined) return found
  }
}
