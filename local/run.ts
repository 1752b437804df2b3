import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { catchFatalErrors } from '#core/log/fatal-errors.ts'
import { exitCodes, runProcess } from '#core/host/process/run-process.ts'
import { findSettingsFile } from '#core/config/find-settings-file.ts'
import { processSecrets } from '#core/log/secrets.ts'
import { toJsonLine, toText } from './announcement.ts'
import type { LocalOptions } from '#core/host/commands/all-command.ts'
import { ignoredLine, ownEnvironment } from './own-environment.ts'
import { composeStack } from './stack.ts'
import type { StackInput } from './stack.ts'
import { describeStartFailure } from './terminal/start-failure.ts'

/** `mesh all`: the whole platform on this machine, until a signal. Resolves with the exit code. */
export async function runLocal(options: LocalOptions, parts: Omit<StackInput, 'options'>): Promise<number> {
  const fatal = catchFatalErrors({ roles: parts.roles })
  const report = reportTo(resolve(options.data))
  try {
    if (options.output === 'text') process.stderr.write(progress(options, parts.env))
    const ignored = ignoredLine(ownEnvironment(parts.env, parts.plugins).ignored)
    if (ignored !== undefined) process.stderr.write(`mesh: ${ignored}\n`)
    const stack = await composeStack({ ...parts, options, ...linesOf(options) })
    const { host } = stack.composed
    const start = async (): Promise<void> => {
      const started = await stack.start()
      process.stdout.write(options.output === 'json' ? toJsonLine(started, process.pid) : toText(started))
    }
    const { composed, close } = stack
    return await runProcess({ ...composed, host: { ...host, start }, fatal, close, report }, parts.roles)
  } catch (error) {
    report(error)
    return exitCodes.failed
  }
}

// With `--output json`, log lines are written instead.
function linesOf({ output }: LocalOptions): Pick<StackInput, 'write'> {
  return output === 'json'
    ? {}
    : {
        write: (text) => {
          process.stderr.write(`mesh: ${text}\n`)
        },
      }
}

// Messages may contain a URL of the settings with its password.
function reportTo(dataDir: string): (error: unknown) => void {
  return (error) => {
    const text = processSecrets.redact(describeStartFailure(error, dataDir))
    process.stderr.write(`mesh: ${text}\n`)
  }
}

// The first line of the start takes seconds.
function progress({ data, fresh }: LocalOptions, env: StackInput['env']): string {
  const file = findSettingsFile(env)
  const settings = file === undefined ? '' : ` with the settings of ${resolve(file)}`
  const isFirst = fresh || !existsSync(join(resolve(data), 'database'))
  return `Starting${isFirst ? ` on the new data folder ${data}` : ''}${settings} ...\n`
}
