import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** A command of a third party: a program on the PATH whose name is `meshctl-` with the words of the command. */
export interface OutsideCommand {
  readonly words: readonly string[]
  readonly file: string
}

const PREFIX = 'meshctl-'
const word = /^[a-z][a-z0-9]{0,31}$/
const MOST_WORDS = 4

/** Finds the program with the most words of a command line: `meshctl oncall pages` is `meshctl-oncall-pages`, else `meshctl-oncall`. */
export function findOutsideCommand(args: readonly string[], env: Environment): OutsideCommand | undefined {
  const end = args.findIndex((one) => !word.test(one))
  const words = args.slice(0, Math.min(end === -1 ? args.length : end, MOST_WORDS))
  for (let count = words.length; count > 0; count--) {
    const found = findProgram(`${PREFIX}${words.slice(0, count).join('-')}`, env)
    if (found !== undefined) return { words: words.slice(0, count), file: found }
  }
  return undefined
}

/** Words of the commands on the PATH, for completion. A folder that cannot be read has none. */
export function listOutsideWords(env: Environment): readonly string[] {
  const names = foldersOf(env).flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith(PREFIX))
    } catch {
      return []
    }
  })
  const found = names.map((name) =>
    name
      .slice(PREFIX.length)
      .replace(/\.(?:exe|cmd)$/, '')
      .split('-'),
  )
  return [...new Set(found.filter((words) => words.every((one) => word.test(one))).map((words) => words.join(' ')))]
}

function foldersOf({ PATH: path = '' }: Environment): readonly string[] {
  // An empty entry is the current folder, where a program may lie that was never installed.
  return path.split(delimiter).filter((folder) => folder !== '')
}

function findProgram(name: string, env: Environment): string | undefined {
  const names = process.platform === 'win32' ? [`${name}.exe`] : [name]
  return foldersOf(env)
    .flatMap((folder) => names.map((one) => join(folder, one)))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
