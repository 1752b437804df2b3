import { commandHelp } from '#core/command-line/command-help.ts'
import type { CommandOptions, CommandValues } from '#core/command-line/option.ts'
import type { LineCommand } from '#core/command-line/program.ts'
import type { ApiInput, CliCommand, CliInput } from '#cli/contract/command.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'
import { signalCode } from '#cli/contract/stop-signal.ts'
import { createStyle } from '#cli/contract/style.ts'
import { apiOptions, colorOptions } from './api-options.ts'
import type { CliProgram } from './cli-program.ts'
import { createProgress } from './progress.ts'

/** The line of a listed command: its declaration is imported when the command is called, and then reads these arguments. */
export function lineOfListed(
  program: CliProgram,
  { words, load }: ListedCommand,
  args: readonly string[],
): LineCommand {
  const run = async (): Promise<number> => {
    const [command, { runLine }] = await Promise.all([load(), import('#core/command-line/run-line.ts')])
    return runLine(program, [lineOfCommand(program, command)], args)
  }
  return { words, help: () => '', run }
}

/** The help of a command in a program. */
export function helpOf({ name }: Pick<CliProgram, 'name'>, command: CliCommand): string {
  const { examples = [] } = command
  const lines = examples.map(([line, effect]) => [`${name} ${line}`, effect] as const)
  return commandHelp({ ...withCodes(command), examples: lines, options: optionsOf(command) }, name)
}

/** A command with the exit codes that every command of the API has. */
export function withCodes(command: CliCommand): CliCommand {
  if (!command.usesApi) return command
  return { ...command, exitCodes: { ...command.exitCodes, [signalCode('SIGINT')]: 'interrupted' } }
}

function lineOfCommand(program: CliProgram, command: CliCommand): LineCommand {
  return {
    words: command.words,
    ...(command.usageCode === undefined ? {} : { usageCode: command.usageCode }),
    ...(command.failureCode === undefined ? {} : { failureCode: command.failureCode }),
    options: optionsOf(command),
    help: () => helpOf(program, command),
    run: (values) => runWith(program, command, values),
  }
}

/** The options of a command, those of the connection if it calls the API, and `--no-color`. */
export function optionsOf({ usesApi, connection = 'flags', options = {} }: CliCommand): CommandOptions {
  const { context, kubeconfig } = apiOptions
  const connected = connection === 'flags' ? apiOptions : { context, kubeconfig }
  return { ...options, ...(usesApi ? connected : {}), ...colorOptions }
}

type Values = Readonly<Record<string, unknown>>

async function runWith(program: CliProgram, command: CliCommand, values: Values): Promise<number> {
  const input = inputOf(program, values)
  if (command.connection === 'context')
    return (await import('./run-in-context.ts')).runInContext(program, command, input)
  if (command.usesApi) return runOnApi(program, command, input as CliInput<ApiValues>)
  const run = await command.load()
  return run(input as never)
}

function inputOf(program: CliProgram, values: Values): CliInput {
  const { version, env, stdin, out, err, untilStopped, width, isTerminal, errIsTerminal } = program
  const hasColor = program.hasColor && values['no-color'] !== true
  const style = { out: createStyle(hasColor && isTerminal), err: createStyle(hasColor && errIsTerminal) }
  const progress = createProgress({ err, isTerminal: errIsTerminal, width })
  return { values, version, env, stdin, out, err, width, untilStopped, style, progress }
}

type ApiValues = CommandValues<typeof apiOptions> & { readonly 'all-namespaces'?: boolean }

async function runOnApi(program: CliProgram, command: CliCommand, input: CliInput<ApiValues>): Promise<number> {
  const { values, env, out, err } = input
  const [run, { findAccess }, { createClient }, { createPrinter }] = await Promise.all([
    command.load(),
    import('#cli/context/api-access.ts'),
    import('#cli/api/create-client.ts'),
    import('#cli/output/create-printer.ts'),
  ])
  const access = findAccess(values, env)
  const userAgent = `${program.name}/${program.version}`
  const api = createClient(access, { timeoutMs: values.timeout * 1_000, userAgent })
  const { isTerminal, width } = program
  const { namespace } = access
  const given: ApiInput<ApiValues> = {
    ...input,
    api,
    namespace,
    scope: values['all-namespaces'] === true ? { scope: 'permitted' } : { namespace },
    printer: createPrinter(values.output, { out, err, isTerminal, width, style: input.style.out, now: program.now() }),
  }
  try {
    return await run(given as never)
  } catch (error) {
    throw api.explain(error)
  } finally {
    await api.close()
  }
}
