import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
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
const DIVERGED = 2
const WRITERS = 'meshctl dev --record FILE and meshctl download-fixture write recordings.'

/** `meshctl replay-serve`. */
export async function replayServeOf({ values, out, err, untilStopped }: CliInput<ReplayOptions>): Promise<number> {
  const { fixture: path, port, instructions = false } = values
  if (path === undefined)
    throw new CliProblem('FIXTURE_PATH is missing: a merged recording, or a folder with its parts', WRITERS)
  const { replay, server } = await start(path, { port, err, instructions }).catch((error: unknown) => {
    throw explain(error, path, port)
  })
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

interface StartOptions extends Pick<ReplayOptions, 'port'> {
  readonly err: CliInput['err']
  readonly instructions: boolean
}

async function start(
  path: string,
  { port, err, instructions }: StartOptions,
): Promise<{ readonly replay: Replay; readonly server: ReplayServer }> {
  const fixture = await loadFixture(path)
  if (!fixture.complete) err('the recording is not complete: calls that it does not have cannot be answered\n')
  const replay = createReplay(fixture, { instructions })
  return { replay, server: await serveReplay(replay, port) }
}

function explain(error: unknown, path: string, port: number): CliProblem {
  const shown = JSON.stringify(path.slice(0, 200))
  const { code = 'unknown error', syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen')
    return new CliProblem(`port ${port} cannot be used: ${code}`, 'Choose another with --port; 0 is any free one.')
  return new CliProblem(`${shown} ${problemOf(error, code)}`, WRITERS)
}

function problemOf(error: unknown, code: string): string {
  if (error instanceof UnusableFixture) return error.message
  if (error instanceof PolicyProblem) return 'is not a recording: "/redact" has a pattern that is not valid'
  return error instanceof RangeError ? 'is nested too deeply' : `cannot be read: ${code}`
}

function toPath(server: string): string {
  return server.toWellFormed().split('/').map(encodeURIComponent).join('/')
}
