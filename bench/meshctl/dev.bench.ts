import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endsWithParent } from '#test/harness/server-process.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'

const CALLS = 200
const program = join(root, 'scripts', 'program', 'start-meshctl.mjs')

/** `meshctl dev` until its agent is ready, and the replay of a recording of 200 calls. */
export const bench: Bench = {
  title: `meshctl dev until ready, and a replay of ${CALLS} calls (ms)`,
  measure: () =>
    inFolder(async (folder) => {
      const recording = join(folder, 'run.json')
      await record(folder, recording)
      const candidates = [
        { name: 'dev', run: () => startDev(folder, [], readyOf) },
        { name: 'dev --replay', run: () => startDev(folder, ['--replay', recording], replayOf) },
      ]
      return interleave(candidates, { rounds: 5, most: 8 })
    }),
  goals: (figureOf) => [
    { text: 'dev until ready, ms', value: figureOf('dev', 'ready ms'), limit: 3_000 },
    { text: `replay of ${CALLS} calls, ms`, value: figureOf('dev --replay', 'replay ms'), limit: 2_000 },
  ],
}

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
  writeFileSync(join(folder, 'agent.yaml'), 'name: bot\nmodel: {route: mock}\n')
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

async function record(folder: string, recording: string): Promise<void> {
  await startDev(folder, ['--record', recording], async ({ lines }) => {
    const url = await find(lines, /POST (http:\S+)/)
    const headers = { 'content-type': 'application/json' }
    for (let call = 0; call < CALLS; call++) {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input: `question ${call}` }),
      })
      if (!response.ok) throw new Error(`a run is refused: ${await response.text()}`)
      await response.text()
    }
    for (let call = 0; call < CALLS; call++) await find(lines, /^(recorded) in /)
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
