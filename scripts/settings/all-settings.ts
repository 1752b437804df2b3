import { coreSettingSources } from '#core/config/setting-source.ts'
import { coreSettingsSchema } from '#core/config/core-settings.ts'
import type { SettingSource } from '#core/config/setting-source.ts'
import type { SchemaNode } from './setting-row.ts'

/** Settings of core or of one plugin; `key` is the plugin's key in mesh.yaml, absent for core. */
export interface SettingsSection {
  readonly key?: string
  readonly schema: SchemaNode
  readonly sources: readonly SettingSource[]
}

/** Settings of core and of every built-in plugin that has some. */
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

// TypeBox types carry more than plain JSON Schema needs.
const plain = (schema: object): SchemaNode => schema
