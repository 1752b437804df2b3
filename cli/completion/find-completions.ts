import { readdirSync } from 'node:fs'
import { hasValue } from '#core/command-line/option-values.ts'
import type { CommandOption, CommandOptions } from '#core/command-line/option.ts'
import type { ListedCommand } from '#cli/contract/listed-command.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { optionsOf } from '../run/line-of-command.ts'

/** A word that may follow, and its line of help. */
export interface Completion {
  readonly value: string
  readonly help: string
}

/** What may be at the place of the last word of a command line: a word of a command, an option, or a value. Only the named command is imported. */
export async function findCompletions(
  commands: readonly ListedCommand[],
  words: readonly string[],
  outside: readonly string[] = [],
): Promise<readonly Completion[]> {
  const before = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const called = commands.find((one) => one.words.split(' ').every((word, index) => before[index] === word))
  const listed = [...commands, ...outside.map((one) => ({ words: one, summary: 'a program of a third party' }))]
  if (called === undefined) return startingWith(last, nextWords(listed, before))
  const options = { ...optionsOf(await called.load()), help: { help: 'show the help', short: 'h' } }
  const given = before.slice(called.words.split(' ').length)
  return startingWith(last, argumentsAt(options, given, last))
}

function startingWith(start: string, found: readonly Completion[]): readonly Completion[] {
  return found.filter(({ value }) => value.startsWith(start))
}

function nextWords(
  commands: readonly Pick<ListedCommand, 'words' | 'summary'>[],
  before: readonly string[],
): readonly Completion[] {
  const next = new Map<string, string>()
  for (const { words, summary } of commands) {
    const parts = words.split(' ')
    const word = parts[before.length]
    if (word === undefined || !before.every((one, index) => one === parts[index])) continue
    const isWhole = parts.length === before.length + 1
    next.set(word, isWhole ? summary : (next.get(word) ?? `commands of ${[...before, word].join(' ')}`))
  }
  return [...next].map(([value, help]) => ({ value, help }))
}

function argumentsAt(options: CommandOptions, given: readonly string[], last: string): readonly Completion[] {
  const assigned = /^(--[^=]+=)(.*)$/s.exec(last)
  if (assigned !== null) {
    const [, start = '', value = ''] = assigned
    return valuesOf(findOption(options, start.slice(0, -1)), value).map((one) => ({ ...one, value: start + one.value }))
  }
  const valued = findOption(options, given.at(-1) ?? '')
  if (valued !== undefined && hasValue(valued)) return valuesOf(valued, last)
  if (last.startsWith('-')) return flagsOf(options, given)
  return valuesOf(placeOf(options, given), last)
}

function findOption(options: CommandOptions, flag: string): CommandOption | undefined {
  const [, option] =
    Object.entries(options).find(
      ([name, { positional, short }]) => positional !== true && (flag === `--${name}` || flag === `-${short}`),
    ) ?? []
  return option
}

// An option that was given is offered again only if it may be repeated.
function flagsOf(options: CommandOptions, given: readonly string[]): readonly Completion[] {
  return Object.entries(options)
    .filter(
      ([name, { positional, repeatable }]) =>
        positional !== true && (repeatable === true || !given.includes(`--${name}`)),
    )
    .map(([name, { help }]) => ({ value: `--${name}`, help }))
}

/** The argument whose turn it is. */
function placeOf(options: CommandOptions, given: readonly string[]): CommandOption | undefined {
  const places = Object.values(options).filter(({ positional }) => positional === true)
  const filled = given.filter((word, index) => {
    const before = findOption(options, given[index - 1] ?? '')
    return !word.startsWith('-') && !(before !== undefined && hasValue(before))
  }).length
  const last = places.at(-1)
  return places[filled] ?? (last?.repeatable === true ? last : undefined)
}

function valuesOf(option: CommandOption | undefined, start: string): readonly Completion[] {
  if (option?.oneOf !== undefined) return option.oneOf.map((value) => ({ value, help: '' }))
  return /(?:FILE|DIR|PATH)/.test(option?.value ?? '') ? pathsFrom(start) : []
}

function pathsFrom(start: string): readonly Completion[] {
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  try {
    return (
      readdirSync(folder === '' ? '.' : folder, { withFileTypes: true })
        .filter(({ name }) => (name.startsWith('.') ? start.slice(folder.length).startsWith('.') : true))
        // A name with a line break would be two completions.
        .filter(({ name }) => toSafeText(name) === name)
        .map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`, help: '' }))
    )
  } catch {
    return []
  }
}
