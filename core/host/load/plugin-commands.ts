import type { Command } from '#core/plugin/command.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { pluginTitle } from './plugin-title.ts'
import { BootError } from './startup-error.ts'

/** First words of the platform's own commands and roles, and of commands of `meshctl` that `mesh` has, too. */
export const coreWords = [
  'all',
  'bff',
  'download-fixture',
  'env',
  'expand',
  'gateway',
  'help',
  'keys',
  'manager',
  'manifests',
  'migrate',
  'plugins',
  'rebuild',
  'replay-serve',
  'restore',
  'schema',
  'state',
  'version',
  'worker',
] as const

/** A command and its plugin; core's own have none. */
export interface OwnedCommand {
  readonly command: Command
  readonly plugin?: string
  /** The plugin in messages, with its file for a third party. */
  readonly title?: string
}

/**
 * The commands of plugins. Throws `BootError` for words that are not lowercase, and for two commands with the same name. A third party's
 * command must not begin with a word of the platform.
 */
export function commandsOf(
  plugins: readonly Pick<AnyPlugin, 'name' | 'commands'>[],
  thirdParty: ReadonlySet<string>,
): readonly OwnedCommand[] {
  const owned = plugins.flatMap((plugin) =>
    (plugin.commands ?? []).map((command) => ({ command, plugin: plugin.name, title: pluginTitle(plugin) })),
  )
  for (const { command, plugin, title } of owned) {
    const { words } = (command ?? {}) as { readonly words?: unknown }
    const refuse = (why: string): never => {
      throw new BootError(`${title}: its command ${JSON.stringify(words)?.slice(0, 80)} ${why}`)
    }
    if (typeof words !== 'string' || !/^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*){0,3}$/.test(words) || words.length > 60)
      refuse('must be one to four words of lowercase letters, digits and -')
    const [first = ''] = command.words.split(' ')
    if (thirdParty.has(plugin) && coreWords.some((word) => word === first))
      refuse(`begins with ${first}, a command or role of the platform`)
    checkFields(command, refuse)
  }
  refuseSameWords(owned)
  return owned
}

/** Throws `BootError` if the words of a command are, or begin, those of another. Both owners are named. */
export function refuseSameWords(commands: readonly OwnedCommand[]): void {
  for (const [index, one] of commands.entries())
    for (const other of commands.slice(index + 1)) {
      const [short, long] = [one, other].toSorted((a, b) => a.command.words.length - b.command.words.length)
      if (short === undefined || long === undefined) continue
      if (!`${long.command.words} `.startsWith(`${short.command.words} `)) continue
      throw new BootError(
        `the command ${JSON.stringify(long.command.words)} of ${ownerOf(long)} conflicts with ${JSON.stringify(short.command.words)} of ${ownerOf(short)}`,
      )
    }
}

function ownerOf({ plugin, title = `plugin ${plugin}` }: OwnedCommand): string {
  return plugin === undefined ? 'the platform' : title
}

// Untyped JavaScript may omit them.
function checkFields(command: Command, refuse: (why: string) => never): void {
  const { summary, load, options = {} } = command as { readonly [K in keyof Command]?: unknown }
  if (typeof summary !== 'string' || summary === '') refuse('has no summary')
  if (typeof load !== 'function') refuse('has no load, a function that resolves with its code')
  for (const [name, option] of Object.entries(options as object)) {
    const { help } = (option ?? {}) as { readonly help?: unknown }
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name) || name === 'help')
      refuse(`has an option ${JSON.stringify(name.slice(0, 60))}, which must be lowercase letters, digits and -`)
    if (typeof help !== 'string' || help === '') refuse(`has an option ${name} without help`)
  }
}
