import { catchFatalErrors } from '#core/log/fatal-errors.ts'
import { exitCodes, runProcess } from '#core/host/run-process.ts'
import { toJsonLine, toText } from './announce.ts'
import { BadFlag, parseOptions, usage } from './options.ts'
import { ignoredLine, ownEnvironment } from './own-environment.ts'
import { composeStack, type StackInput } from './stack.ts'

/** `mesh all`: the whole platform on this machine, until a signal. Resolves with the exit code. */
export async function runLocal(args: readonly string[], parts: Omit<StackInput, 'options'>): Promise<number> {
  if (args.includes('--help')) return print(usage, exitCodes.ok)
  const fatal = catchFatalErrors({ roles: parts.roles })
  try {
    const options = parseOptions(args)
    const ignored = ignoredLine(ownEnvironment(parts.env, parts.plugins).ignored)
    if (ignored !== undefined) process.stderr.write(`mesh: ${ignored}\n`)
    const stack = await composeStack({ ...parts, options })
    const { host } = stack.composed
    const start = async (): Promise<void> => {
      const started = await stack.start()
      process.stdout.write(options.output === 'json' ? toJsonLine(started, process.pid) : toText(started))
    }
    return await runProcess({ ...stack.composed, host: { ...host, start }, fatal, close: stack.close }, parts.roles)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    process.stderr.write(`mesh: ${text}\n${error instanceof BadFlag ? `\n${usage}` : ''}`)
    return error instanceof BadFlag ? exitCodes.usage : exitCodes.failed
  }
}

function print(text: string, code: number): number {
  process.stdout.write(text)
  return code
}
