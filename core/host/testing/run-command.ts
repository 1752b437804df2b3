import { coreCommands } from '../commands/core-commands.ts'
import { findByWords } from '../commands/help.ts'
import { runCommand } from '../commands/run-command.ts'
import { commandsOf } from '../load/plugin-commands.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** What a command wrote, and its exit code. */
export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command of core or of these plugins, which are the built-in ones of the program. */
export async function runForTest(
  words: string,
  args: readonly string[] = [],
  { env = {}, plugins = [] }: { env?: Readonly<Record<string, string>>; plugins?: readonly AnyPlugin[] } = {},
): Promise<CommandResult> {
  const entries = [...coreCommands.map((command) => ({ command })), ...commandsOf(plugins, new Set())]
  const found = findByWords(
    entries.map((owned) => ({ ...owned.command, owned })),
    words.split(' '),
  )
  if (found === undefined || found.rest.length > 0) throw new Error(`there is no command ${words}`)
  let [out, err] = ['', '']
  const code = await runCommand(found.entry.owned, args, {
    program: { version: '0.0.0', builtIn: async () => plugins },
    env,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { code, out, err }
}
