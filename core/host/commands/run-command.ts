import type { CommandInput } from '#core/plugin/command.ts'
import { openSettings, originOfSetting, readCoreSettings, readSettings } from '#core/config/settings.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import type { ApiClient } from '#core/http-client/api-client.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { loadPlugins } from '../third-party/load-plugins.ts'
import type { LoadedPlugins } from '../third-party/load-plugins.ts'
import type { OwnedCommand } from '../load/plugin-commands.ts'
import { asPlugin } from '../load/startup-error.ts'
import type { CoreCommandInput, Program } from './core-command.ts'

/** Environment of a command. */
export interface CommandRun extends Pick<CommandInput, 'env' | 'out' | 'err' | 'untilStopped'> {
  readonly program: Program
  /** Opens a client of the API; it is closed when the command ends. */
  openApi(): Promise<ApiConnection>
}

/** A client of the API with its connections. */
export interface ApiConnection extends ApiClient {
  close(): Promise<void>
}

/** Loads the built-in plugins and those of the settings. */
export async function pluginsOfSettings({ env, program }: Pick<CommandRun, 'env' | 'program'>): Promise<LoadedPlugins> {
  const file = openSettings({ env })
  return loadPlugins(await program.builtIn(), file, readCoreSettings(file, env))
}

type Values = Readonly<Record<string, unknown>>

/** Runs a command. Resolves with the exit code; throws its problem. */
export async function runCommand(owned: OwnedCommand, values: Values, run: CommandRun): Promise<number> {
  const { command, plugin } = owned
  let database: Promise<Database> | undefined
  const open = (): Promise<Database> => (database ??= openConfigured(run.env))
  let api: Promise<ApiConnection> | undefined
  try {
    const plugins = once(() => pluginsOfSettings(run))
    const input: CoreCommandInput<never> = {
      ...run,
      values: values as never,
      settings: async <Section>() => sectionOf(plugin ?? '', await plugins(), run) as Section,
      openStore: async () => createStore(await open(), { projections: [] }),
      openDatabase: open,
      api: () => (api ??= run.openApi()),
      plugins,
    }
    const code: unknown = await (await loadCommand(owned))(input)
    if (typeof code === 'number' && Number.isInteger(code) && code >= 0 && code <= 255) return code
    throw new Error(`the command ${command.words} returned ${String(code).slice(0, 60)}, not an exit code`)
  } finally {
    await database?.then((opened) => opened.close()).catch(() => undefined)
    await api?.then((opened) => opened.close()).catch(() => undefined)
  }
}

// A command may run for any time.
function loadCommand({ command, plugin }: OwnedCommand): ReturnType<typeof command.load> {
  if (plugin === undefined) return command.load()
  return asPlugin(plugin, `load of the command ${command.words}`, () => command.load())
}

async function openConfigured(env: CommandInput['env']): Promise<Database> {
  const file = openSettings({ env })
  const { databaseUrl: url, databasePreparedStatements: prepare } = readCoreSettings(file, env)
  if (url === undefined) throw new SettingsError('DATABASE_URL: required by this command')
  return openDatabase({ url, connections: 2, prepare, setting: originOfSetting(file, env, 'databaseUrl') })
}

function sectionOf(plugin: string, { plugins }: LoadedPlugins, { env }: CommandRun): unknown {
  return readSettings(openSettings({ env }), env, plugins).slices.get(plugin)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
