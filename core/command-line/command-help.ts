import type { CommandOption, CommandOptions } from './option.ts'
import { hasValue, titleOf } from './option-values.ts'
import { lineCodes } from './program.ts'

const WIDTH = 120

/** Content of a command's help. */
export interface HelpedCommand {
  readonly words: string
  readonly summary: string
  readonly description?: string
  readonly options?: CommandOptions
  readonly examples?: readonly (readonly [line: string, effect: string])[]
  readonly exitCodes?: Readonly<Record<number, string>>
  /** Exit code for wrong arguments; default 2. */
  readonly usageCode?: number
  /** Exit code of a command that could not run; default 1. */
  readonly failureCode?: number
}

/** Output of `<program> <words> --help`, from the declaration alone. */
export function commandHelp(command: HelpedCommand, program = 'mesh'): string {
  const { words, summary, description, options = {}, examples = [] } = command
  const parts = [
    columns(examples),
    wrap([`usage: ${program} ${words}`, ...Object.entries(options).map(usageOf)], '       '),
    description?.trim() ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    optionLines(options),
    wrap(['Exit code:', ...codeTexts(command)], '  '),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** What each exit code of a command means: one table for its help and for the reference. */
export function exitCodesOf(command: Pick<HelpedCommand, 'exitCodes' | 'usageCode' | 'failureCode'>) {
  const { exitCodes = {}, usageCode = lineCodes.usage, failureCode = lineCodes.failed } = command
  const codes: Record<number, string> = { 0: 'done', [failureCode]: 'could not run', ...exitCodes }
  const own = codes[usageCode]
  codes[usageCode] = own === undefined ? 'wrong arguments' : `${own}, or wrong arguments`
  return codes
}

function codeTexts(command: HelpedCommand): readonly string[] {
  const texts = Object.entries(exitCodesOf(command)).map(([code, text]) => `${code} ${text}`)
  return texts.map((text, index) => `${text}${index === texts.length - 1 ? '.' : ','}`)
}

function usageOf([name, option]: readonly [string, CommandOption]): string {
  const text = `${titleOf(name, option)}${option.positional === true ? '' : valueText(option)}`
  const many = option.repeatable === true ? '...' : ''
  if (option.required !== true) return `[${text}]${many}`
  return many === '' ? text : `${text}${many}`
}

function optionLines(options: CommandOptions): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `
    const title = `${short}${titleOf(name, option)}${option.positional === true ? '' : valueText(option)}`
    return [title, `${option.help}${noteOf(option)}`] as const
  })
  return columns(rows)
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n')
}

function valueText(option: CommandOption): string {
  return hasValue(option) ? ` ${option.value ?? option.oneOf?.join('|')}` : ''
}

function noteOf({ default: preset, repeatable, required }: CommandOption): string {
  const notes = [
    ...(required === true ? ['required'] : []),
    ...(repeatable === true ? ['repeatable'] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
  ]
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`
}

function wrap(parts: readonly string[], indent: string): string {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last === undefined || last.length + part.length >= WIDTH)
      lines.push(`${last === undefined ? '' : indent}${part}`)
    else lines[lines.length - 1] = `${last} ${part}`
  }
  return lines.join('\n')
}
