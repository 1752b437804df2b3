import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { Role } from '#core/config/profile.ts'
import type { CommandInput } from '#core/host/commands/database-command.ts'
import { overview, roleHelp, unknownCommand } from '#core/host/commands/help.ts'
import type { HelpEntry } from '#core/host/commands/help.ts'
import { exitCodes } from '#core/host/process/run-process.ts'

// What others stand on starts first.
const everything: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }

type Load = () => Promise<(input: CommandInput) => Promise<number>>

interface Command extends HelpEntry {
  readonly load: Load
}

// Each is imported when it is asked for.
const commands: readonly Command[] = [
  {
    words: 'worker dead-letters',
    summary: 'list events that a consumer gave up on, or deliver them again',
    load: async () => (await import('#core/host/commands/dead-letters-command.ts')).deadLettersCommand,
  },
  {
    words: 'audit verify',
    summary: 'check the seals of the audit log',
    load: async () => (await import('#plugins/audit/seal/verify-command.ts')).verifyCommand,
  },
  {
    words: 'rebuild',
    summary: 'fill the tables of a projection from the event log again',
    load: async () => loadRebuild(),
  },
  {
    words: 'manifests',
    summary: 'print the CRDs and roles that the installed plugins need',
    load: async () => loadManifests(),
  },
  { words: 'restore', summary: 'run once after a backup was restored', load: async () => loadRestore() },
  { words: 'keys init', summary: 'make the signing keys that are missing', load: async () => loadKeys('init') },
  { words: 'keys rotate', summary: 'publish new signing keys', load: async () => loadKeys('rotate') },
]

const all: HelpEntry = { words: 'all', summary: 'start everything on this machine, for trying and developing' }
const roleSummaries: Readonly<Record<Role, string>> = {
  migrate: 'prepare database and streams, then exit',
  state: 'what agents ask of the platform (3002)',
  manager: 'reconcile agents and follow the cluster (8082)',
  worker: 'execute runs and handle events',
  gateway: 'the OpenAI-compatible model gateway (4000)',
  bff: 'the HTTP API of people and programs (8080)',
}

async function loadRestore(): Promise<(input: CommandInput) => Promise<number>> {
  const { restoreCommand } = await import('#core/host/commands/restore-command.ts')
  return (input) => restoreCommand(input, () => main(['migrate']))
}

async function loadRebuild(): Promise<(input: CommandInput) => Promise<number>> {
  const { rebuildCommand } = await import('#core/host/commands/rebuild-command.ts')
  const { composeHost } = await import('#core/host/process/compose-process.ts')
  const { plugins } = await import('#plugins/index.ts')
  return (input) =>
    rebuildCommand(input, (composition) => composeHost({ ...composition, plugins, env: input.env, version }))
}

async function loadManifests(): Promise<(input: CommandInput) => Promise<number>> {
  const { manifestsCommand } = await import('#core/host/commands/manifests-command.ts')
  const { plugins } = await import('#plugins/index.ts')
  return (input) => manifestsCommand(input, plugins)
}

async function loadKeys(kind: 'init' | 'rotate'): Promise<(input: CommandInput) => Promise<number>> {
  const { keysCommand } = await import('#core/host/commands/keys-command.ts')
  return (input) => keysCommand(kind, input)
}

/** `mesh <role>`: composes the process of a role, runs it until a signal, and answers with its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '--help', ...flags] = args
  for (const words of [2, 1]) {
    const command = commands.find((one) => one.words === args.slice(0, words).join(' '))
    if (command !== undefined) return runCommand(command.load, args.slice(words))
  }
  if (name === '--help' || name === '-h' || name === 'help') return print(help())
  if (name === '--version' || name === '-v') return print(`${version}\n`)
  const roles = name === 'all' ? everything : everything.filter((role) => role === name)
  if (roles.length === 0) return refuse(unknownCommand(args, known()))
  if (name !== 'all' && flags.length > 0) return explainRole(name, flags)
  cacheCompiledCode()
  const { plugins } = await import('#plugins/index.ts')
  // Imported here: a role of a cluster pays nothing for what stands in for one.
  if (name === 'all')
    return (await import('#local/run.ts')).runLocal(flags, { roles, plugins, env: process.env, version })
  const { runRoles } = await import('#core/host/process/run-roles.ts')
  return runRoles({ roles, plugins, env: process.env, version })
}

function known(): readonly string[] {
  return [all, ...commands].map(({ words }) => words).concat(everything)
}

function help(): string {
  return overview(
    [all, ...commands],
    everything.map((words) => ({ words, summary: roleSummaries[words] })),
  )
}

// A role takes no flags; what follows it may be meant as a command, such as `worker dead-letters`.
function explainRole(name: string, flags: readonly string[]): number {
  const role = everything.find((one) => one === name)
  if (role !== undefined && (flags.includes('--help') || flags.includes('-h')))
    return print(roleHelp({ words: role, summary: roleSummaries[role] }))
  const [flag = ''] = flags
  return refuse(
    flag.startsWith('-')
      ? `mesh ${name} takes no flags (${flag.slice(0, 60)}); settings come from mesh.yaml and the environment`
      : unknownCommand(
          [name, ...flags],
          known().filter((words) => words.includes(' ')),
        ),
  )
}

/** The help text of every command and role by its words; '' is `mesh --help`. */
export async function helpPages(): Promise<ReadonlyMap<string, string>> {
  const { usage } = await import('#local/options.ts')
  const pages = new Map([
    ['', help()],
    ['all', usage],
  ])
  for (const { words, load } of commands) {
    const command = await load()
    let text = ''
    const out = (part: string): void => {
      text += part
    }
    await command({ args: ['--help'], env: {}, out, err: out })
    pages.set(words, text)
  }
  for (const role of everything) pages.set(role, roleHelp({ words: role, summary: roleSummaries[role] }))
  return pages
}

function print(text: string): number {
  process.stdout.write(text)
  return exitCodes.ok
}

function refuse(problem: string): number {
  process.stderr.write(`mesh: ${problem}\nmesh --help lists every command.\n`)
  return exitCodes.usage
}

async function runCommand(load: Load, args: readonly string[]): Promise<number> {
  cacheCompiledCode()
  const command = await load()
  const out = (text: string): void => {
    process.stdout.write(text)
  }
  return command({
    args,
    env: process.env,
    out,
    err: (text) => {
      process.stderr.write(text)
    },
  })
}

// Types are stripped and code is compiled once, not at every start: 0.5 of 2.2 s of CPU. It holds for later imports only,
// so everything above is imported late. A folder that cannot be written (an image) leaves it off.
function cacheCompiledCode(): void {
  enableCompileCache(join(import.meta.dirname, 'node_modules', '.cache', 'mesh', 'compiled'))
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
