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
    // Before the start: a signal that comes meanwhile would end this process alone. A handler runs after it, when the child is there.
    const onTerm = (signal: NodeJS.Signals): boolean => child.kill(signal)
    // A terminal sends Ctrl-C to both; the program decides.
    const onInterrupt = (): void => undefined
    process.on('SIGINT', onInterrupt).on('SIGTERM', onTerm)
    const child = spawn(file, args.slice(words.length), { stdio: 'inherit', env })
    child.once('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
      const hint = 'Its first line must name a program that exists.'
      reject(new CliProblem(`${toSafeText(file)}: cannot be started (${code})`, hint))
    })
    child.once('exit', (code, signal) => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerm)
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
    })
  })
}
