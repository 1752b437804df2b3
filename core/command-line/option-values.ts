import { didYouMean, oneOf } from '#schemas/values/nearest.ts'
import { BadArguments } from './option.ts'
import type { CommandOption, CommandOptions } from './option.ts'

/** Strings given for the options and arguments, by name. `undefined`: the option was given without a value. */
export type GivenTexts = ReadonlyMap<string, readonly (string | undefined)[]>

/** Converts the given strings as the options declare. Throws `BadArguments`, which names the option and quotes at most 60 characters. */
export function readOptions(options: CommandOptions, given: GivenTexts): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, valueOf(option, titleOf(name, option), given.get(name))]),
  )
}

/** Whether an option takes a value. */
export function hasValue({ value, oneOf: choices, positional }: CommandOption): boolean {
  return value !== undefined || choices !== undefined || positional === true
}

/** Name of an option in messages and help: `--limit`, or `ID` for an argument. */
export function titleOf(name: string, { positional, value = name.toUpperCase() }: CommandOption): string {
  return positional === true ? value : `--${name}`
}

/** The refusal of an argument that begins with a dash and is not an option of the command. */
export function unknownOption(options: CommandOptions, flag: string): BadArguments {
  const [name = ''] = flag.split('=', 1)
  const names = Object.entries(options).flatMap(([known, one]) => (one.positional === true ? [] : [`--${known}`]))
  if (names.includes(name)) return new BadArguments(`${name}: takes no value`)
  return new BadArguments(`unknown option ${quote(name)}${didYouMean(name, names)}`)
}

/** The refusal of an argument after the last one that the command takes. */
export function unknownArgument(text: string): BadArguments {
  return new BadArguments(`unknown argument ${quote(text)}`)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}

function valueOf(option: CommandOption, title: string, given: ReturnType<GivenTexts['get']>): unknown {
  if (!hasValue(option)) return given !== undefined
  const texts = given?.map((text) => {
    if (text !== undefined) return text
    throw new BadArguments(`${title}: needs a value (${option.value ?? option.oneOf?.join('|')})`)
  })
  if (option.required === true && texts === undefined) throw new BadArguments(`${title} is required`)
  if (option.repeatable === true) return (texts ?? []).map((text) => convert(option, title, text))
  // As in other programs, the last value counts, so that a script can append to a list of arguments.
  const text = texts?.at(-1) ?? option.default
  return text === undefined ? undefined : convert(option, title, text)
}

function convert({ oneOf: choices, parse }: CommandOption, title: string, text: string): unknown {
  if (text === '') throw new BadArguments(`${title}: must not be empty`)
  if (choices !== undefined && !choices.includes(text))
    throw new BadArguments(`${title} ${quote(text)}: must be ${oneOf(choices, text)}`)
  if (parse === undefined) return text
  try {
    return parse(text)
  } catch (error) {
    throw new BadArguments(`${title} ${quote(text)}: ${error instanceof Error ? error.message : 'is not valid'}`)
  }
}
