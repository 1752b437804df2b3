import { isObject } from '#core/json/is-object.ts'
import type { SettingsOwner, SettingSource } from './setting-source.ts'
import { coreSettingSources } from './setting-source.ts'
import { coreSettingsSchema } from './core-settings.ts'
import type { CoreSettings } from './core-settings.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import { quoted, unknownSetting } from './explain-setting.ts'
import { findSettingsFile } from './find-settings-file.ts'
import { checkSettingFiles } from './check-setting-files.ts'
import type { FileCheck } from './check-setting-files.ts'
import { SettingsError } from './settings-error.ts'
import { claimedPath, readSlice } from './plugin-settings.ts'
import { readYamlFile } from './yaml-file.ts'
import type { YamlFile } from './yaml-file.ts'

/** All settings of a process, read once. */
export interface Settings {
  readonly core: CoreSettings
  /** Validated section of each plugin, by its name. */
  readonly slices: ReadonlyMap<string, unknown>
}

/** Sources of settings. */
export interface SettingsInput {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: `MESH_CONFIG`, then `mesh.yaml` in the working directory; without either, no file is read. */
  readonly file?: string | undefined
  /** Settings given in code (the embedded default, tests). File and environment override them. */
  readonly presets?: Readonly<Record<string, unknown>>
}

interface SettingFiles {
  readonly file: YamlFile
  readonly env: SettingsInput['env']
  readonly plugins: readonly SettingsOwner[]
}

type Tree = Record<string, unknown>

/** Opens the settings file of a process. */
export function openSettings(input: SettingsInput): YamlFile {
  const file = readYamlFile(input.file ?? findSettingsFile(input.env))
  return { ...file, tree: merge(input.presets ?? {}, file.tree) }
}

/** Source of a core setting, for messages: `DATABASE_URL`, or `mesh.yaml:2:1: databaseUrl`. */
export function originOfSetting(file: YamlFile, env: SettingsInput['env'], setting: string): string {
  const given = coreSettingSources.find(({ from, to }) => to === setting && (env[from] ?? '') !== '')
  return given?.from ?? `${file.where(setting.split('.'))}: ${setting}`
}

/** Checks the files that the settings of these roles name. Throws `SettingsError`. */
export function refuseUnusableFiles(
  { file, env, plugins }: SettingFiles,
  settings: Settings,
  check: Pick<FileCheck, 'roles' | 'instead'>,
): void {
  const nameAt = (at: readonly string[], sources: readonly SettingSource[]) => (setting: string) => {
    const from = sources.find(({ to }) => to === setting)?.from
    const name = [...at, setting].join('.')
    if (from !== undefined && (env[from] ?? '') !== '') return `${from} (${name})`
    return `${file.where(name.split('.'))}: ${name}${from === undefined ? '' : ` (${from})`}`
  }
  checkSettingFiles(coreSettingsSchema, settings.core, { ...check, origin: nameAt([], coreSettingSources) })
  for (const plugin of plugins) {
    const origin = nameAt([plugin.name], plugin.settingsFrom ?? [])
    checkSettingFiles(plugin.settings, settings.slices.get(plugin.name), { roles: check.roles, origin })
  }
}

/** Reads the platform's own settings before the plugins are known, since they list the third-party plugins to load. */
export function readCoreSettings(file: YamlFile, env: SettingsInput['env']): CoreSettings {
  const own = Object.keys(coreSettingsSchema.properties)
  const given = Object.fromEntries(Object.entries(file.tree).filter(([key]) => own.includes(key)))
  const from = { file, env, at: [], sources: coreSettingSources }
  const { profile } = readSlice(coreSettingsSchema, given, { ...from, profile: 'open' }) as CoreSettings
  return readSlice(coreSettingsSchema, given, { ...from, profile }) as CoreSettings
}

/** Reads and validates all settings. An unknown key is an error that names its position. */
export function readSettings(file: YamlFile, env: SettingsInput['env'], plugins: readonly SettingsOwner[]): Settings {
  const core = readCoreSettings(file, env)
  refuseUnknownKeys(file, plugins)
  const slices = plugins.map((plugin): [string, unknown] => {
    const sources = plugin.settingsFrom ?? []
    const given = asTree(file, [plugin.name], file.tree[plugin.name])
    return [
      plugin.name,
      readSlice(plugin.settings, given, { file, env, at: [plugin.name], sources, profile: core.profile }),
    ]
  })
  refuseUnknownPlugins(file, core, plugins)
  refuseUnderProfile({ file, env, plugins }, core)
  return { core, slices: new Map(slices) }
}

function refuseUnknownPlugins(file: YamlFile, core: CoreSettings, plugins: readonly SettingsOwner[]): void {
  const names = plugins.map(({ name }) => name)
  for (const [index, name] of core.disable.entries()) {
    if (names.includes(name)) continue
    const known = `plugins: ${names.toSorted().join(', ')}`
    throw new SettingsError(
      `${file.where(['disable', `${index}`])}: disable: unknown plugin ${quoted(name)}${didYouMean(name, names)} (${known})`,
    )
  }
}

// A profile is a guarantee: the plugins and settings that it depends on cannot be turned off.
function refuseUnderProfile({ file, env, plugins }: SettingFiles, { profile, disable, store }: CoreSettings): void {
  const required = plugins.filter(({ requiredBy = [] }) => requiredBy.includes(profile)).map(({ name }) => name)
  for (const [index, name] of disable.entries())
    if (required.includes(name))
      throw new SettingsError(
        `${file.where(['disable', `${index}`])}: disable: the profile ${profile} does not start without the plugin ${name} (it needs ${required.toSorted().join(', ')})`,
      )
  if (store === 'none' && profile === 'hardened')
    throw new SettingsError(`${originOfSetting(file, env, 'store')}: must not be none in the profile ${profile}`)
}

// Schemas check the keys of the platform and of each plugin. Every other key must be claimed by a source, leaf by leaf.
function refuseUnknownKeys(file: YamlFile, plugins: readonly SettingsOwner[]): void {
  const known = [...Object.keys(coreSettingsSchema.properties), ...plugins.map(({ name }) => name)]
  const claimed = plugins.flatMap(({ settingsFrom = [] }) =>
    settingsFrom.map(claimedPath).filter((path) => path !== undefined),
  )
  const names = [...known.map((name) => [name]), ...claimed]
  for (const [key, value] of Object.entries(file.tree)) {
    if (!known.includes(key)) refuseUnclaimed(file, names, [key], value)
  }
}

type Path = readonly string[]

function refuseUnclaimed(file: YamlFile, claimed: readonly Path[], path: Path, value: unknown): void {
  const inside = claimed.filter((other) => path.every((name, index) => other[index] === name))
  if (inside.some((other) => other.length === path.length)) return
  if (inside.length === 0 || typeof value !== 'object' || value === null) {
    const parent = path.slice(0, -1)
    const beside = claimed.filter((other) => parent.every((name, index) => other[index] === name))
    throw new SettingsError(unknownSetting(file, path, new Set(beside.flatMap((other) => other[parent.length] ?? []))))
  }
  for (const [key, child] of Object.entries(value)) refuseUnclaimed(file, claimed, [...path, key], child)
}

function asTree(file: YamlFile, path: readonly string[], value: unknown): Tree {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw new SettingsError(`${file.where(path)}: ${path.join('.')} must be a mapping`)
  return { ...value }
}

function merge(under: Readonly<Tree>, over: Readonly<Tree>): Tree {
  const merged: Tree = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key]
    merged[key] = isObject(below) && isObject(value) ? merge(below, value) : value
  }
  return merged
}
