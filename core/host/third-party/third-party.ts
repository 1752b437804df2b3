import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { asObject } from '#core/json/is-object.ts'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { YamlFile } from '#core/config/yaml-file.ts'
import type { Profile } from '#core/config/profile.ts'
import { BootError } from '../load/startup-error.ts'
import { checkPlugin } from './check-plugin.ts'
import { createMesh } from './mesh.ts'
import type { Mesh } from './mesh.ts'
import { describePluginError, positionIn, withPositions } from '../load/plugin-error.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** Sources of third-party plugins, and how they are verified. */
export interface ThirdPartyInput {
  /** Folder of the settings file, from which relative paths and packages are resolved. */
  readonly folder: string
  readonly plugins: readonly AnyPlugin[]
  readonly profile: Profile
}

type Entry = CoreSettings['plugins'][number]

/** Loads the plugins that the settings list, beside those of the platform. */
export function loadListedPlugins(
  { file }: Pick<YamlFile, 'file'>,
  { plugins: entries, profile }: CoreSettings,
  plugins: readonly AnyPlugin[],
): Promise<readonly AnyPlugin[]> {
  const folder = file === undefined ? process.cwd() : dirname(file)
  return loadThirdParties(entries, { folder, plugins, profile })
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
  for (const entry of entries) loaded.push(await load(entry, { ...input, plugins: [...input.plugins, ...loaded] }))
  return loaded
}

async function load(entry: Entry, input: ThirdPartyInput): Promise<AnyPlugin> {
  const { from, integrity } = typeof entry === 'string' ? { from: entry, integrity: undefined } : entry
  const file = await locate(from, input.folder)
  await checkIntegrity(from, file, { integrity, required: input.profile === 'hardened' })
  const module = (await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new BootError(`plugin ${from} cannot be loaded: ${describePluginError(error, file)}`, error)
  })) as { readonly default?: unknown }
  const make = module.default
  if (typeof make !== 'function')
    throw new BootError(`plugin ${from}: must default-export (mesh) => mesh.definePlugin(...)`)
  let at = file
  const mesh: Mesh = {
    ...createMesh(input.plugins),
    definePlugin: (plugin) => {
      at = positionIn(new Error('declared'), file) ?? file
      return plugin
    },
  }
  const plugin: unknown = call(from, file, () => make(mesh))
  return withPositions(checkPlugin(`${from} (${at})`, plugin, input.plugins), file, at)
}

function call<T>(from: string, file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new BootError(`plugin ${from}: its function failed: ${describePluginError(error, file)}`, error)
  }
}

async function locate(from: string, folder: string): Promise<string> {
  if (/^\.{0,2}\//.test(from)) return resolve(folder, from)
  const manifest = findManifest(from, folder)
  if (manifest === undefined) throw new BootError(`plugin ${from} is not installed (looked from ${folder})`)
  const { exports: exported, main } = await readManifest(from, manifest)
  const entry = entryOf(exported) ?? (typeof main === 'string' ? main : 'index.js')
  return fileURLToPath(new URL(entry, pathToFileURL(manifest)))
}

async function readManifest(from: string, manifest: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return asObject(JSON.parse(await readFile(manifest, 'utf8')))
  } catch (error) {
    throw new BootError(`plugin ${from}: ${manifest} cannot be read: ${describePluginError(error, manifest)}`, error)
  }
}

function findManifest(name: string, folder: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(`${folder}/settings.js`))
  } catch {
    return undefined
  }
}

function entryOf(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported
  if (typeof exported !== 'object' || exported === null) return undefined
  const conditions = new Map<string, unknown>(Object.entries(exported))
  return entryOf(conditions.get('.') ?? conditions.get('import') ?? conditions.get('node') ?? conditions.get('default'))
}

async function checkIntegrity(
  from: string,
  file: string,
  { integrity, required }: { integrity: string | undefined; required: boolean },
): Promise<void> {
  if (integrity === undefined && !required) return
  const bytes = await readFile(file).catch(() => {
    throw new BootError(`plugin ${from}: ${file} cannot be read`)
  })
  const found = `sha256-${createHash('sha256').update(bytes).digest('base64')}`
  if (integrity === undefined)
    throw new BootError(`plugin ${from}: the profile hardened wants its integrity (now ${found})`)
  if (integrity !== found)
    throw new BootError(`plugin ${from}: its integrity is ${found}, the settings say ${integrity}`)
}
