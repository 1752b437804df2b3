import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { Role } from '#core/host/core.ts'
import type { CommandInput } from '#core/host/database-command.ts'
import { exitCodes } from '#core/host/run-process.ts'

// What others stand on starts first.
const everything: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }

type Command = () => Promise<(input: CommandInput) => Promise<number>>

// Each is imported when it is asked for.
const commands: ReadonlyMap<string, Command> = new Map([
  ['worker dead-letters', async () => (await import('#core/events/dead-letters-command.ts')).deadLettersCommand],
  ['audit verify', async () => (await import('#plugins/audit/verify-command.ts')).verifyCommand],
  ['restore', async () => loadRestore()],
  ['keys init', async () => loadKeys('init')],
  ['keys rotate', async () => loadKeys('rotate')],
])

async function loadRestore(): Promise<(input: CommandInput) => Promise<number>> {
  const { restoreCommand } = await import('#core/host/restore-command.ts')
  return (input) => restoreCommand(input, () => main(['migrate']))
}

async function loadKeys(kind: 'init' | 'rotate'): Promise<(input: CommandInput) => Promise<number>> {
  const { keysCommand } = await import('#core/host/keys-command.ts')
  return (input) => keysCommand(kind, input)
}

/** `mesh <role>`: composes the process of a role, runs it until a signal, and answers with its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...flags] = args
  for (const words of [2, 1]) {
    const command = commands.get(args.slice(0, words).join(' '))
    if (command !== undefined) return runCommand(command, args.slice(words))
  }
  const roles = name === 'all' ? everything : everything.filter((role) => role === name)
  if (roles.length === 0) {
    process.stderr.write(`usage: mesh ${[...everything, 'all', ...commands.keys()].join('|')}\n`)
    return exitCodes.usage
  }
  cacheCompiledCode()
  const { plugins } = await import('#plugins/index.ts')
  // Imported here: a role of a cluster pays nothing for what stands in for one.
  if (name === 'all')
    return (await import('#local/run.ts')).runLocal(flags, { roles, plugins, env: process.env, version })
  const { runRoles } = await import('#core/host/run-roles.ts')
  return runRoles({ roles, plugins, env: process.env, version })
}

async function runCommand(load: Command, args: readonly string[]): Promise<number> {
  cacheCompiledCode()
  const command = await load()
  const out = (text: string): void => void process.stdout.write(text)
  return command({ args, env: process.env, out, err: (text) => void process.stderr.write(text) })
}

// Types are stripped and code is compiled once, not at every start: 0.5 of 2.2 s of CPU. It holds for later imports only,
// so everything above is imported late. A folder that cannot be written (an image) leaves it off.
function cacheCompiledCode(): void {
  enableCompileCache(join(import.meta.dirname, 'node_modules', '.cache', 'mesh', 'compiled'))
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
