import { fileURLToPath, pathToFileURL } from 'node:url'
import { LocatedError, setPosition } from './plugin-title.ts'
import { BootError } from './startup-error.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** Formats an error of a plugin's file with its position: `boom (/x/greeter.ts:3:9)`. */
export function describePluginError(error: unknown, file: string): string {
  const text = error instanceof Error ? error.message.split('\n', 1)[0] : `it threw ${typeof error}, not an Error`
  const at = positionIn(error, file)
  return `${text === '' ? 'an error without a message' : text}${at === undefined ? '' : ` (${at})`}${hintFor(error)}`
}

const declarations = new WeakMap<object, Error>()

/** Remembers where a third-party plugin is declared: at the caller of the caller. */
export function markDeclaration(plugin: object): void {
  declarations.set(plugin, new Error('declared'))
}

/** Position of the declaration of a third-party plugin; its file if it is not known. */
export function declarationIn(plugin: unknown, file: string): string {
  const declared = typeof plugin === 'object' && plugin !== null ? declarations.get(plugin) : undefined
  return positionIn(declared, file) ?? file
}

/** Wraps a third-party plugin: errors of its functions name file and line. `at` is the position of its declaration. */
export function withPositions(plugin: AnyPlugin, file: string, at: string): AnyPlugin {
  const wrapped = Object.entries(plugin).map(([slot, value]: [string, unknown]) =>
    typeof value === 'function' ? [slot, located(value as Slot, file)] : [slot, value],
  )
  const traced = { ...plugin, ...(Object.fromEntries(wrapped) as object) }
  setPosition(traced, at)
  return traced
}

type Slot = (...args: readonly unknown[]) => unknown

function located(slot: Slot, file: string): Slot {
  const rethrow = (error: unknown): never => {
    if (error instanceof BootError || positionIn(error, file) === undefined) throw error
    throw new LocatedError(describePluginError(error, file), { cause: error })
  }
  return (...args) => {
    try {
      const result = slot(...args)
      return result instanceof Promise ? result.catch(rethrow) : result
    } catch (error) {
      return rethrow(error)
    }
  }
}

const platform = new URL('../../../', import.meta.url).href

/**
 * Position of an error: its first frame in a file of the plugin, which is the folder of its entry without packages. A syntax error has its
 * position in the first line of its stack.
 */
export function positionIn(error: unknown, file: string): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined
  const lines = error.stack.split('\n')
  const beside = besideFile(lines, new URL('./', pathToFileURL(file)).href)
  if (beside !== undefined) return beside
  for (const name of [pathToFileURL(file).href, file])
    for (const line of lines) {
      const found = line.split(name)[1]?.match(/^:(\d+(?::\d+)?)/)?.[1]
      if (found !== undefined) return `${file}:${found}`
    }
  return undefined
}

function besideFile(lines: readonly string[], folder: string): string | undefined {
  for (const line of lines) {
    const [, url = '', at = ''] = /(file:\/\/[^\s()]+?):(\d+(?::\d+)?)\)?$/.exec(line) ?? []
    const isOwn = url.startsWith(folder) && !url.slice(folder.length).includes('node_modules/')
    if (isOwn && (folder.startsWith(platform) || !url.startsWith(platform))) return `${fileURLToPath(url)}:${at}`
  }
  return undefined
}

function hintFor(error: unknown): string {
  const isModule =
    error instanceof SyntaxError && /Unexpected token 'export'|Cannot use import statement/.test(error.message)
  return isModule
    ? '; the file is read as CommonJS: write "type": "module" in package.json, or name it .mts or .mjs'
    : ''
}
