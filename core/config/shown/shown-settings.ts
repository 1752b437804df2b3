import type { TSchema } from 'typebox'
import { getAt } from '#core/json/get-at.ts'
import { isObject } from '#core/json/is-object.ts'
import { coreSettingsSchema } from '../core-settings.ts'
import type { SettingsOwner } from '../setting-source.ts'
import type { Settings } from '../settings.ts'

/** A setting that every caller may see. */
export type ShownSetting = number | boolean | string

/**
 * Settings in effect, by their names in the settings file: numbers, switches and choices. A free string may be a secret, an address or a path, so
 * it is left out unless its schema lists its values. Pure.
 */
export function shownSettings(
  { core, slices }: Settings,
  plugins: readonly SettingsOwner[],
): Readonly<Record<string, ShownSetting>> {
  const ofPlugins = plugins.flatMap(({ name, settings }) => shownIn(settings, slices.get(name), [name]))
  return Object.fromEntries([...shownIn(coreSettingsSchema, core, []), ...ofPlugins])
}

function shownIn(schema: TSchema, value: unknown, at: readonly string[]): readonly [string, ShownSetting][] {
  if (isShown(schema, value)) return [[at.join('.'), value]]
  const properties = getAt(schema, ['properties'])
  if (!isObject(properties) || !isObject(value)) return []
  return Object.entries(properties).flatMap(([name, property]) =>
    shownIn(property as TSchema, value[name], [...at, name]),
  )
}

function isShown(schema: TSchema, value: unknown): value is ShownSetting {
  if (typeof value === 'string') return choicesOf(schema).includes(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

function choicesOf(schema: TSchema): readonly unknown[] {
  const listed = getAt(schema, ['enum'])
  if (Array.isArray(listed)) return listed
  const branches = getAt(schema, ['anyOf'])
  return (Array.isArray(branches) ? branches : [schema]).map((branch) => getAt(branch, ['const']))
}
