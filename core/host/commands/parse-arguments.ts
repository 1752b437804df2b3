import { parseArgs } from 'node:util'
import { BadArguments } from '#core/plugin/command.ts'
import type { CommandOption, CommandOptions } from '#core/plugin/command.ts'
import { didYouMean, oneOf } from '#schemas/values/nearest.ts'

type Given = Map<string, string[]>

/** Parses arguments by the declared options. Throws `BadArguments`, which names the option and quotes at most 60 characters. */
export function parseArguments(options: CommandOptions, args: readonly string[]): Readonly<Record<string, unknown>> {
  const given = collect(options, args)
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, valueOf(option, titleOf(name, option), given.get(name))]),
  )
}

/** Whether the arguments ask for help. */
export function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? args.length : end).some((arg) => arg === '--help' || arg === '-h')
}

/** Whether an option takes a value. */
export function hasValue({ value, oneOf: choices, positional }: CommandOption): boolean {
  return value !== undefined || choices !== undefined || positional === true
}

/** Name of an option in messages and help: `--limit`, or `ID` for an argument. */
export function titleOf(name: string, { positional, value = name.toUpperCase() }: CommandOption): string {
  return positional === true ? value : `--${name}`
}

/** Quotes text of a user in a message. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}

// Not strict, since the messages of `parseArgs` quote arguments in full.
function collect(options: CommandOptions, args: readonly string[]): Given {
  const named = Object.entries(options).filter(([, { positional }]) => positional !== true)
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      named.map(([name, option]) => {
        const type = hasValue(option) ? 'string' : 'boolean'
        return [name, option.short === undefined ? { type } : { type, short: option.short }] as const
      }),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const given: Given = new Map()
  const add = (name: string, value: string): unknown => given.set(name, [...(given.get(name) ?? []), value])
  const places = Object.entries(options).filter(([, { positional }]) => positional === true)
  for (const token of tokens) {
    if (token.kind === 'option') add(token.name, textOf(options, token))
    if (token.kind !== 'positional') continue
    const place = places.find(([name, { repeatable }]) => repeatable === true || !given.has(name))
    if (place === undefined) throw new BadArguments(`unknown argument ${quote(token.value)}`)
    add(place[0], token.value)
  }
  return given
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function textOf(options: CommandOptions, { name, rawName, value, inlineValue }: OptionToken): string {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  const isNamed = rawName.startsWith('--') || rawName === `-${option?.short}`
  if (option === undefined || option.positional === true || !isNamed) {
    const names = Object.entries(options).flatMap(([known, one]) => (one.positional === true ? [] : [`--${known}`]))
    throw new BadArguments(`there is no option ${quote(rawName)}${didYouMean(rawName, names)}`)
  }
  if (!hasValue(option)) {
    if (value !== undefined) throw new BadArguments(`--${name}: takes no value`)
    return ''
  }
  // `--file --force` is a forgotten value; a value that begins with a dash is given as `--file=-x`.
  if (value === undefined || (inlineValue !== true && /^-./.test(value)))
    throw new BadArguments(`--${name}: needs a value (${option.value ?? option.oneOf?.join('|')})`)
  return value
}

function valueOf(option: CommandOption, title: string, given: readonly string[] | undefined): unknown {
  if (!hasValue(option)) return given !== undefined
  if (option.repeatable === true) {
    if (option.required === true && given === undefined) throw new BadArguments(`${title} is required`)
    return (given ?? []).map((text) => convert(option, title, text))
  }
  // As in other programs the last one holds, so that a script can append to a list of arguments.
  const text = given?.at(-1) ?? option.default
  if (text !== undefined) return convert(option, title, text)
  if (option.required === true) throw new BadArguments(`${title} is required`)
  return undefined
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
