import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'
import { UnusableFixture, loadFixture } from './load-fixture.ts'
import { createReplay } from './replay.ts'
import type { Replay } from './replay.ts'
import { serveReplay } from './serve-replay.ts'
import type { ReplayServer } from './serve-replay.ts'

interface ReplayOptions {
  readonly fixture: string | undefined
  readonly port: number
  /** Given by `dev` for an agent whose instructions are in its file: they belong to the shape of a call. */
  readonly instructions?: boolean
}

const PASSED = 0
const UNUSABLE = 1
const DIVERGED = 2
const WRITERS = 'meshctl dev --record FILE and meshctl download-fixture write recordings.'

/** `meshctl replay-serve`. */
export async function replayServeOf({ values, out, err, untilStopped }: CliInput<ReplayOptions>): Promise<number> {
  const { fixture: path, port, instructions = false } = values
  if (path === undefined) {
    err(`FIXTURE_PATH is missing: a merged recording, or a folder with its parts\n${WRITERS}\n`)
    return UNUSABLE
  }
  let started: { readonly replay: Replay; readonly server: ReplayServer }
  try {
    const replay = await open(path, { err, instructions })
    started = { replay, server: await serveReplay(replay, port) }
  } catch (error) {
    err(`${explain(error, path, port).join('\n')}\n`)
    return UNUSABLE
  }
  const { replay, server } = started
  // Handlers are registered before the line is printed, so that no signal after it is missed.
  const stopped = untilStopped()
  out(
    `${[`${server.url}/v1`, ...[...replay.servers.keys()].map((name) => `${server.url}/mcp/${toPath(name)}`)].join('\n')}\n`,
  )
  await stopped
  await server.close()
  const problems = replay.problems()
  for (const problem of problems) err(`${problem}\n`)
  return problems.length === 0 ? PASSED : DIVERGED
}

async function open(
  path: string,
  { err, instructions }: { readonly err: CliInput['err']; readonly instructions: boolean },
): Promise<Replay> {
  const fixture = await loadFixture(path)
  if (!fixture.complete) err('the recording is not complete: calls that it does not have cannot be answered\n')
  return createReplay(fixture, { instructions })
}

function explain(error: unknown, path: string, port: number): readonly [problem: string, hint: string] {
  const shown = JSON.stringify(path.slice(0, 200))
  const { code = 'unknown error', syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen')
    return [`port ${port} cannot be used: ${code}`, 'Choose another with --port; 0 is any free one.']
  return [`${shown} ${problemOf(error, code)}`, WRITERS]
}

function problemOf(error: unknown, code: string): string {
  if (error instanceof UnusableFixture) return error.message
  if (error instanceof PolicyProblem) return 'is not a recording: "/redact" has a pattern that is not valid'
  return error instanceof RangeError ? 'is nested too deeply' : `cannot be read: ${code}`
}

function toPath(server: string): string {
  return server.toWellFormed().split('/').map(encodeURIComponent).join('/')
}
