import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { OutsideCommand } from './outside-commands.ts'

/** Runs a program of a third party in place of this one: it has the terminal, and its exit code is that of `meshctl`. */
export function runOutside(
  { words, file }: OutsideCommand,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args.slice(words.length), { stdio: 'inherit', env })
    // A terminal sends Ctrl-C to both; the child decides.
    const passOn = (signal: NodeJS.Signals): void => {
      child.kill(signal)
    }
    const wait = (): void => undefined
    process.on('SIGINT', wait).on('SIGTERM', passOn)
    child.once('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
      reject(
        new CliProblem(
          `${toSafeText(file)}: cannot be started (${code})`,
          'Its first line must name a program that exists.',
        ),
      )
    })
    child.once('exit', (code, signal) => {
      process.off('SIGINT', wait).off('SIGTERM', passOn)
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
    })
  })
}
