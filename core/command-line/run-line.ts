import { Command, Option } from 'commander'
import type { CommanderError } from 'commander'
import { BadArguments } from './option.ts'
import type { CommandOptions } from './option.ts'
import { hasValue, unknownArgument, unknownOption, readOptions } from './option-values.ts'
import type { GivenTexts } from './option-values.ts'
import { CommandFailure, lineCodes, UnknownCommand } from './program.ts'
import type { LineCommand, LineProgram } from './program.ts'

/**
 * Runs the command that the arguments begin with. Resolves with its exit code. Throws `UnknownCommand`, and the errors of a command without
 * options.
 */
export async function runLine(
  program: LineProgram,
  commands: readonly LineCommand[],
  args: readonly string[],
): Promise<number> {
  let code: number = lineCodes.failed
  const root = asGroup(new Command(program.name).helpCommand(false))
  root.showSuggestionAfterError(false)
  root.configureOutput({ writeOut: program.out, outputError: () => undefined })
  for (const command of commands) {
    const leaf = addWords(root, command.words)
    const given = command.options === undefined ? handOn(leaf) : declare(leaf, { ...command, options: command.options })
    leaf.action(async () => {
      code = await run(program, command, { given: given(), args: leaf.args })
    })
    leaf.exitOverride((error) => {
      code = exitOf(program, command, { leaf, error })
      throw new Ended()
    })
  }
  await root.parseAsync([...args], { from: 'user' }).catch(unlessEnded)
  return code
}

// Commander ended the parsing; the code is known.
class Ended extends Error {
  override readonly name = 'Ended'
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof Ended)) throw error
}

// Words that are only the beginning of commands.
function asGroup(group: Command): Command {
  return group
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UnknownCommand(group.name())
    })
}

// A role such as `worker` is a command, and the beginning of others.
function addWords(root: Command, words: string): Command {
  let at = root
  for (const word of words.split(' ')) at = at.commands.find((one) => one.name() === word) ?? asGroup(at.command(word))
  return at
}

function handOn(leaf: Command): () => GivenTexts {
  leaf.helpOption(false).allowUnknownOption().allowExcessArguments()
  return () => new Map()
}

/** Declares the options of a command. The returned function reads every given value: the last one alone could hide a missing value. */
function declare(leaf: Command, { options, help }: LineCommand & { readonly options: CommandOptions }) {
  const given = new Map<string, readonly (string | undefined)[]>()
  const places: string[] = []
  leaf
    .helpOption('-h, --help')
    .configureHelp({ formatHelp: help })
    .allowUnknownOption(false)
    .allowExcessArguments(false)
  for (const [name, option] of Object.entries(options)) {
    if (option.positional === true) {
      places.push(name)
      leaf.argument(`[${name}${option.repeatable === true ? '...' : ''}]`)
      continue
    }
    const short = option.short === undefined ? '' : `-${option.short}, `
    // An optional value, since a required one could be the next option: `--file --force` is a forgotten value.
    leaf.addOption(new Option(`${short}--${name}${hasValue(option) ? ' [value]' : ''}`))
    leaf.on(`option:${name}`, (text: string | null | undefined) =>
      given.set(name, [...(given.get(name) ?? []), text ?? undefined]),
    )
  }
  return (): GivenTexts => {
    for (const [index, name] of places.entries()) {
      const texts = [leaf.processedArgs[index] as string | readonly string[] | undefined].flat()
      if (texts[0] !== undefined) given.set(name, texts)
    }
    return given
  }
}

interface Line {
  readonly given: GivenTexts
  readonly args: readonly string[]
}

async function run(program: LineProgram, command: LineCommand, { given, args }: Line): Promise<number> {
  try {
    return await command.run(readOptions(command.options ?? {}, given), args)
  } catch (error) {
    if (command.options === undefined || error instanceof UnknownCommand) throw error
    return report(program, command, error)
  }
}

interface Exit {
  readonly leaf: Command
  readonly error: CommanderError
}

function exitOf(program: LineProgram, command: LineCommand, { leaf, error }: Exit): number {
  if (error.code === 'commander.helpDisplayed') return lineCodes.ok
  if (error.code === 'commander.unknownOption') {
    // Only its message contains the option in full.
    const [, flag = ''] = /^error: unknown option '([^]*)'$/.exec(error.message) ?? []
    return report(program, command, unknownOption(command.options ?? {}, flag))
  }
  if (error.code === 'commander.excessArguments') {
    if (leaf.commands.length > 0) throw new UnknownCommand(command.words)
    return report(program, command, unknownArgument(leaf.args[leaf.registeredArguments.length] ?? ''))
  }
  return report(program, command, error)
}

function report(program: LineProgram, command: LineCommand, error: unknown): number {
  const text = error instanceof Error ? error.message : String(error)
  const isUsage = error instanceof BadArguments
  program.err(`${program.name}: ${text}\n${isUsage ? `\n${command.help()}` : ''}`)
  if (isUsage) return command.usageCode ?? lineCodes.usage
  const own = error instanceof CommandFailure ? error.exitCode : undefined
  return own ?? command.failureCode ?? lineCodes.failed
}
