import type { CoreSettings } from '#core/config/core-settings.ts'
import type { YamlFile } from '#core/config/yaml-file.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { clusterEvents } from '#core/controllers/objects/object-events.ts'
import { checkPlugins } from '../load/check-plugins.ts'
import { commandsOf } from '../load/plugin-commands.ts'
import type { OwnedCommand } from '../load/plugin-commands.ts'
import { loadListedPlugins } from './third-party.ts'

/** The plugins of a process. */
export interface LoadedPlugins {
  /** Built-in ones first. */
  readonly plugins: readonly AnyPlugin[]
  /** Names of the plugins that the settings list. */
  readonly thirdParty: ReadonlySet<string>
  readonly commands: readonly OwnedCommand[]
}

/** Loads the third-party plugins of the settings besides the built-in ones. Throws `BootError`, which names the plugin. */
export async function loadPlugins(
  builtIn: readonly AnyPlugin[],
  file: YamlFile,
  core: CoreSettings,
): Promise<LoadedPlugins> {
  const loaded = await loadListedPlugins(file, core, builtIn)
  const plugins = [...builtIn, ...loaded]
  checkPlugins(plugins, clusterEvents)
  const thirdParty = new Set(loaded.map(({ name }) => name))
  return { plugins, thirdParty, commands: commandsOf(plugins, thirdParty) }
}
