import { commandHelp } from '#core/command-line/command-help.ts'
import type { CommandOptions, CommandValues } from '#core/command-line/option.ts'
import type { LineCommand } from '#core/command-line/program.ts'
import type { ApiInput, CliCommand, CliInput } from '#cli/contract/command.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'
import { apiOptions } from './api-options.ts'
import type { CliProgram } from './cli-program.ts'

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
  return commandHelp({ ...command, examples: lines, options: optionsOf(command) }, name)
}

function lineOfCommand(program: CliProgram, command: CliCommand): LineCommand {
  return {
    words: command.words,
    ...(command.usageCode === undefined ? {} : { usageCode: command.usageCode }),
    options: optionsOf(command),
    help: () => helpOf(program, command),
    run: (values) => runWith(program, command, values),
  }
}

/** The options of a command, and those of the connection if it calls the API. */
export function optionsOf({ usesApi, options = {} }: CliCommand): CommandOptions {
  return usesApi ? { ...options, ...apiOptions } : options
}

type Values = Readonly<Record<string, unknown>>

async function runWith(program: CliProgram, command: CliCommand, values: Values): Promise<number> {
  const { env, stdin, out, err, untilStopped } = program
  const input: CliInput = { values, env, stdin, out, err, untilStopped }
  if (command.usesApi) return runOnApi(program, command, input as CliInput<ApiValues>)
  const run = await command.load()
  return run(input as never)
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
    printer: createPrinter(values.output, { out, err, isTerminal, width, now: program.now() }),
  }
  try {
    return await run(given as never)
  } finally {
    await api.close()
  }
}
