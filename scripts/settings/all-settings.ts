import { coreSettingsSchema, coreSettingSources } from '#core/config/core-settings.ts'
import type { SettingSource } from '#core/config/setting-source.ts'
import type { SchemaNode } from './setting-row.ts'

/** The settings of core or of one plugin: `key` is its key in mesh.yaml, absent for core. */
export interface SettingsSection {
  readonly key?: string
  readonly schema: SchemaNode
  readonly sources: readonly SettingSource[]
}

/** The settings of core and of every built-in plugin that has some. */
export async function allSettings(): Promise<readonly SettingsSection[]> {
  const { plugins } = await import('#plugins/index.ts')
  const sections = plugins.map(({ name, settings, settingsFrom = [] }) => ({
    key: name,
    schema: plain(settings),
    sources: settingsFrom,
  }))
  const core = { schema: plain(coreSettingsSchema), sources: coreSettingSources }
  return [core, ...sections.toSorted((a, b) => (a.key < b.key ? -1 : 1))]
}

// The types of TypeBox say more than a reader of plain JSON Schema needs.
const plain = (schema: object): SchemaNode => schema
