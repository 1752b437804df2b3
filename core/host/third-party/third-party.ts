import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { YamlFile } from '#core/config/yaml-file.ts'
import type { Profile } from '#core/config/profile.ts'
import { BootError, lateHook, startBound } from '../load/startup-error.ts'
import { within } from '#core/async/within.ts'
import type { HookSettings } from '#core/jobs/hook-settings.ts'
import { checkPlugin } from './check-plugin.ts'
import { refuseOtherFiles, checkedFiles } from './integrity.ts'
import { locatePlugin } from './locate-plugin.ts'
import { servePluginImport } from './plugin-import.ts'
import { verifyLoads } from './verified-loads.ts'
import { declarationIn, describePluginError, withPositions } from '../load/plugin-error.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** Sources of third-party plugins, and how they are verified. */
export interface ThirdPartyInput {
  /** Folder of the settings file, from which relative paths and packages are resolved. */
  readonly folder: string
  readonly plugins: readonly AnyPlugin[]
  readonly profile: Profile
  readonly hooks?: HookSettings
}

type Entry = CoreSettings['plugins'][number]

/** Loads the plugins that the settings list, besides those of the platform. */
export function loadListedPlugins(
  file: Pick<YamlFile, 'file'>,
  { plugins: entries, profile, pluginHooks: hooks }: CoreSettings,
  plugins: readonly AnyPlugin[],
): Promise<readonly AnyPlugin[]> {
  return loadThirdParties(entries, { folder: settingsFolder(file), plugins, profile, hooks })
}

/** The folder from which paths and packages of the settings are resolved. */
export function settingsFolder({ file }: Pick<YamlFile, 'file'>): string {
  return file === undefined ? process.cwd() : dirname(file)
}

/**
 * Loads the listed plugins in order; each may depend on those before it. They are trusted code; the profile `hardened` requires an
 * integrity hash.
 */
export async function loadThirdParties(
  entries: readonly Entry[],
  input: ThirdPartyInput,
): Promise<readonly AnyPlugin[]> {
  const loaded: AnyPlugin[] = []
  if (entries.length > 0) servePluginImport()
  for (const entry of entries) loaded.push(await load(entry, { ...input, plugins: [...input.plugins, ...loaded] }))
  return loaded
}

async function load(entry: Entry, input: ThirdPartyInput): Promise<AnyPlugin> {
  const { from, integrity } = typeof entry === 'string' ? { from: entry, integrity: undefined } : entry
  const place = await locatePlugin(from, input.folder)
  const covered = await checkedFiles(from, place, { integrity, required: input.profile === 'hardened' })
  if (covered === undefined) return importPlugin(from, place.entry, input)
  const end = verifyLoads(`plugin ${from}`, covered)
  try {
    const plugin = await importPlugin(from, place.entry, input)
    refuseOtherFiles(from, covered, plugin)
    return plugin
  } catch (error) {
    end()
    throw error
  }
}

async function importPlugin(from: string, file: string, input: ThirdPartyInput): Promise<AnyPlugin> {
  const bound = startBound(input.hooks)
  // A module may await at its top.
  const late = (): Error => lateHook(`plugin ${from}: import`, bound)
  const importing = within(bound.seconds * 1_000, import(pathToFileURL(file).href) as Promise<unknown>, late)
  const module = (await importing.catch((error: unknown) => {
    if (error instanceof BootError) throw error
    throw new BootError(`plugin ${from} cannot be loaded: ${describePluginError(error, file)}`, error)
  })) as { readonly default?: unknown }
  const { default: plugin } = module
  if (typeof plugin === 'function') throw new BootError(`plugin ${from}: its default export is a function; ${wanted}`)
  const at = declarationIn(plugin, file)
  return withPositions(checkPlugin(`${from} (${at})`, plugin, input.plugins), file, at)
}

const wanted = "write export default definePlugin({...}), with definePlugin from '@mesh.dev/mesh/plugin'"
