import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'
import type { ReplayComparison, ServedReplay } from '#cli/contract/dev.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'

/** Runs the command `replay-serve` in this process, on any free port. Rejects with a `CliProblem` if it cannot serve the recording. */
export async function serveReplay(
  input: CliInput,
  commands: readonly ListedCommand[],
  values: ReplayComparison & { readonly fixture: string },
): Promise<ServedReplay> {
  const listed = commands.find(({ words }) => words === 'replay-serve')
  if (listed === undefined) throw new Error('no plugin has the command replay-serve')
  const run = (await (await listed.load()).load()) as (input: CliInput) => Promise<number>
  const stop = Promise.withResolvers<'SIGTERM'>()
  const served = Promise.withResolvers<string>()
  const ended = run({
    ...input,
    values: { ...values, port: 0 },
    out: (text) => {
      served.resolve(new URL(text.split('\n', 1)[0] ?? '').origin)
    },
    untilStopped: () => stop.promise,
  })
  const failed = ended.then(
    () => Promise.reject(new Error('replay-serve ended before it served')),
    (error: unknown) => {
      throw error instanceof CliProblem ? new CliProblem(`--replay: ${error.message}`) : error
    },
  )
  const url = await Promise.race([served.promise, failed])
  failed.catch(() => undefined)
  return {
    url,
    close: () => {
      stop.resolve('SIGTERM')
      return ended
    },
  }
}
