import type { DevInput } from '#cli/contract/dev.ts'
import { signalCode } from '#cli/contract/stop-signal.ts'
import { closeInReverse } from './closers.ts'
import type { Closers } from './closers.ts'
import { findBackend } from './find-backend.ts'
import { readDevAgent } from './read-agent.ts'
import { serveAgent } from './serve-agent.ts'

/** `meshctl dev`: runs the agent of a file until a signal. Resolves with the exit code; throws `CliProblem` for what cannot be used. */
export async function runDev(input: DevInput): Promise<number> {
  const { values, env } = input
  const backend = findBackend(values, env)
  const agent = await readDevAgent(input, values.file)
  const closers: Closers = []
  const ending = new AbortController()
  const stopped = input.untilStopped().then((signal) => {
    ending.abort()
    // A second Ctrl-C does not wait; the temporary folder is removed as the process exits.
    process.once('SIGINT', () => process.exit(signalCode('SIGINT')))
    return signalCode(signal)
  })
  try {
    const served = serveAgent(input, { agent, backend, closers, signal: ending.signal })
    // A failure after the signal is one of the stop.
    served.catch(() => undefined)
    return await Promise.race([served, stopped])
  } finally {
    await closeInReverse(closers)
  }
}
