import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pluginCommands } from '#cli/command-list.ts'
import { processProgram } from '#cli/run/cli-program.ts'
import { helpOf, lineOfListed } from '#cli/run/line-of-command.ts'
import { untilSignal } from '#core/async/until-signal.ts'
import type { Role } from '#core/config/profile.ts'
import { commandHelp } from '#core/command-line/command-help.ts'
import { UnknownCommand } from '#core/command-line/program.ts'
import { unknownCommand } from '#core/command-line/unknown-command.ts'
import type { LineCommand } from '#core/command-line/program.ts'
import { coreCommands } from '#core/host/commands/core-commands.ts'
import { overview, roleHelp } from '#core/host/commands/help.ts'
import type { HelpEntry } from '#core/host/commands/help.ts'
import { lineOf } from '#core/host/commands/line-of-command.ts'
import { listsPlugins } from '#core/host/commands/listed-plugins.ts'
import type { ApiConnection } from '#core/host/commands/run-command.ts'
import type { OwnedCommand } from '#core/host/load/plugin-commands.ts'
import { exitCodes } from '#core/host/process/run-process.ts'
import { followNpm } from '#core/host/process/npm-parent.ts'
import { allCommand, envCommand, openCommand } from '#core/host/commands/all-command.ts'
import { builtInCommands } from '#plugins/command-list.ts'

// What others stand on starts first.
const everything: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }
const program = { version, builtIn: async () => (await import('#plugins/index.ts')).plugins }

const terminal = {
  name: 'mesh',
  out: (text: string): void => {
    process.stdout.write(text)
  },
  err: (text: string): void => {
    process.stderr.write(text)
  },
}

const roleSummaries: Readonly<Record<Role, string>> = {
  migrate: 'prepare database and streams, then exit',
  state: 'the API that agent pods call (3002)',
  manager: 'reconcile agents and follow the cluster (8082)',
  worker: 'execute runs and handle events',
  gateway: 'the OpenAI-compatible model gateway (4000)',
  bff: 'the HTTP API for people and programs (8080)',
}
const roleEntries: readonly HelpEntry[] = everything.map((words) => ({ words, summary: roleSummaries[words] }))

const all = allCommand(async () => {
  endWithNpm()
  const plugins = await program.builtIn()
  const { runLocal } = await import('#local/run.ts')
  return (options) => runLocal(options, { roles: everything, plugins, env: process.env, version })
})
const env = envCommand(async () => (await import('#local/terminal/print-env.ts')).printEnv)
const open = openCommand(async () => (await import('#local/terminal/print-address.ts')).printAddress)
const ownCommands = [all, env, open, ...coreCommands]
// `mesh` has the commands of `meshctl` that call no API.
const offlineCommands = pluginCommands.filter(({ usesApi }) => !usesApi)
const listedCommands = [...offlineCommands, ...builtInCommands]

/** `mesh <words>`: runs a command or a role until it ends, and answers with its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '--help'] = args
  if (name === '--help' || name === '-h' || name === 'help') return printOverview()
  if (name === '--version' || name === '-v') return print(`${version}\n`)
  try {
    return await runLines(args, ownLines(args))
  } catch (error) {
    if (!(error instanceof UnknownCommand)) throw error
  }
  if (!(await listsPlugins(process.env))) return refuse(unknownCommand(args, known()))
  cacheCompiledCode()
  const { pluginsOfSettings } = await import('#core/host/commands/run-command.ts')
  try {
    return await runOfPlugins(args, (await pluginsOfSettings({ env: process.env, program })).commands)
  } catch (error) {
    return refuse(`${unknownCommand(args, known())}; plugins of the settings are not loaded: ${textOf(error)}`)
  }
}

// Commander is imported late, since `mesh --help` needs none of it.
async function runLines(args: readonly string[], lines: readonly LineCommand[]): Promise<number> {
  cacheCompiledCode()
  const { runLine } = await import('#core/command-line/run-line.ts')
  return runLine(terminal, lines, args)
}

// Built-in plugins are loaded for their commands only: the list has words alone.
function ownLines(args: readonly string[]): readonly LineCommand[] {
  const ofPlugins = async (): Promise<number> => runOfPlugins(args, await commandsOfBuiltIn())
  return [
    ...ownCommands.map((command) => ownedLine({ command })),
    ...offlineCommands.map((command) => lineOfListed(processProgram('mesh', version), command, args)),
    ...builtInCommands.map(({ words }) => ({ words, help: () => '', run: ofPlugins })),
    ...everything.map((role) => roleLine(role)),
  ]
}

function roleLine(role: Role): LineCommand {
  const explain = (): string => roleHelp({ words: role, summary: roleSummaries[role] })
  return { words: role, help: explain, run: (_, args) => (args.length === 0 ? runRole(role) : explainRole(role, args)) }
}

async function runRole(role: Role): Promise<number> {
  cacheCompiledCode()
  endWithNpm()
  const { runRoles } = await import('#core/host/process/run-roles.ts')
  return runRoles({ roles: [role], plugins: await program.builtIn(), env: process.env, version })
}

// As SIGTERM from npm itself, which sends it to its shell only.
function endWithNpm(): void {
  followNpm(process.env, () => {
    process.stderr.write('mesh: npm, which started this process, has ended\n')
    process.kill(process.pid, 'SIGTERM')
  })
}

async function commandsOfBuiltIn(): Promise<readonly OwnedCommand[]> {
  cacheCompiledCode()
  const { commandsOf } = await import('#core/host/load/plugin-commands.ts')
  return commandsOf(await program.builtIn(), new Set())
}

async function runOfPlugins(args: readonly string[], commands: readonly OwnedCommand[]): Promise<number> {
  try {
    return await runLines(args, commands.map(ownedLine))
  } catch (error) {
    if (!(error instanceof UnknownCommand)) throw error
    return refuse(unknownCommand(args, [...known(), ...commands.map(({ command }) => command.words)]))
  }
}

function ownedLine(owned: OwnedCommand): LineCommand {
  return lineOf(owned.command, async (values) => {
    const { runCommand } = await import('#core/host/commands/run-command.ts')
    const untilStopped = async (): Promise<void> => {
      await untilSignal()
    }
    return runCommand(owned, values, { program, env: process.env, ...terminal, untilStopped, openApi })
  })
}

async function openApi(): Promise<ApiConnection> {
  const { openClient } = await import('#cli/api/open-client.ts')
  return openClient({ env: process.env, userAgent: `mesh/${version}`, findLocal })
}

// The images of roles have no such platform.
async function findLocal(): Promise<string | undefined> {
  const local = await import('#local/data-folder/running-platform.ts').catch(() => undefined)
  return local?.kubeconfigNear(process.cwd())
}

function known(): readonly string[] {
  return [...ownCommands, ...listedCommands, ...roleEntries].map(({ words }) => words)
}

function help(ofThirdParties: readonly HelpEntry[] = []): string {
  return overview([...ownCommands, ...listedCommands, ...ofThirdParties], roleEntries)
}

async function printOverview(): Promise<number> {
  let problem = ''
  const ofThirdParties = await thirdPartyEntries().catch((error: unknown) => {
    problem = `mesh: commands of the plugins of the settings are not listed: ${textOf(error)}\n`
    return []
  })
  process.stderr.write(problem)
  return print(help(ofThirdParties))
}

// Plugins are loaded only where the settings list some.
async function thirdPartyEntries(): Promise<readonly HelpEntry[]> {
  if (!(await listsPlugins(process.env))) return []
  cacheCompiledCode()
  const { pluginsOfSettings } = await import('#core/host/commands/run-command.ts')
  const { commands, thirdParty } = await pluginsOfSettings({ env: process.env, program })
  return commands.flatMap(({ command, plugin = '' }) => (thirdParty.has(plugin) ? [command] : []))
}

// A role takes no flags; what follows it may be meant as a command, such as `worker dead-letters list`.
async function explainRole(role: Role, flags: readonly string[]): Promise<number> {
  if (flags.some((flag) => flag === '--help' || flag === '-h'))
    return print(roleHelp({ words: role, summary: roleSummaries[role] }))
  const [flag = ''] = flags
  return refuse(
    flag.startsWith('-')
      ? `mesh ${role} takes no flags (${flag.slice(0, 60)}); settings come from mesh.yaml and the environment`
      : unknownCommand([role, ...flags], known()),
  )
}

/** The help text of every command and role by its words; '' is `mesh --help`. */
export async function helpPages(): Promise<ReadonlyMap<string, string>> {
  const commands = [...ownCommands, ...(await commandsOfBuiltIn()).map(({ command }) => command)]
  const offline = await Promise.all(offlineCommands.map((command) => command.load()))
  return new Map([
    ['', help()],
    ...commands.map((command) => [command.words, commandHelp(command)] as const),
    ...offline.map((command) => [command.words, helpOf({ name: 'mesh' }, command)] as const),
    ...roleEntries.map((entry) => [entry.words, roleHelp(entry)] as const),
  ])
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function print(text: string): number {
  process.stdout.write(text)
  return exitCodes.ok
}

function refuse(problem: string): number {
  process.stderr.write(`mesh: ${problem}\nmesh --help lists every command.\n`)
  return exitCodes.usage
}

// Types are stripped and code is compiled once, not at every start: 0.5 of 2.2 s of CPU. It holds for later imports only,
// so everything above is imported late. A folder that cannot be written (an image) leaves it off.
function cacheCompiledCode(): void {
  enableCompileCache(join(import.meta.dirname, 'node_modules', '.cache', 'mesh', 'compiled'))
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
