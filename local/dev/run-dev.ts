import type { DevInput, DevValues } from '#cli/contract/dev.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { signalCode } from '#cli/contract/stop-signal.ts'
import { closeInReverse } from './stack/closers.ts'
import type { Closers } from './stack/closers.ts'
import { findBackend } from './agent/find-backend.ts'
import { findConsole } from './console/find-console.ts'
import { readDevAgent } from './agent/read-agent.ts'
import { replayAgent } from './replay/replay-agent.ts'
import { serveAgent } from './serve-agent.ts'

/** `meshctl dev`: runs the agent of a file until a signal. Resolves with the exit code; throws `CliProblem` for what cannot be used. */
export async function runDev(input: DevInput): Promise<number> {
  const { values, env } = input
  refuseTogether(values)
  const backend = findBackend(values, env)
  const agent = await readDevAgent(input, values.file)
  const ui = await findConsole(values)
  const closers: Closers = []
  const ending = new AbortController()
  const stopped = input.untilStopped().then((signal) => {
    ending.abort()
    return signalCode(signal)
  })
  try {
    const { signal } = ending
    const { replay: path } = values
    const served =
      path === undefined
        ? serveAgent(input, { agent, backend, ui, closers, signal })
        : replayAgent(input, { agent, path, closers, signal })
    // A failure after the signal is one of the stop.
    served.catch(() => undefined)
    return await Promise.race([served, stopped])
  } finally {
    await closeInReverse(closers)
  }
}

function refuseTogether({ replay, record, provider }: DevValues): void {
  if (replay === undefined) return
  if (record !== undefined)
    throw new CliProblem(
      '--replay and --record exclude each other',
      'Record a run of the agent first, and replay it then.',
    )
  if (provider === 'real')
    throw new CliProblem(
      '--replay calls no provider',
      'Leave --provider out: the responses are those of the recording.',
    )
}
