import type { TSchema } from 'typebox'

/** A name of the interface (a dotted settings path or an environment variable) and where it lands in the slice. */
export interface SettingSource {
  readonly from: string
  readonly to: string
  readonly parse?: (text: string) => unknown
}

/** What has a section of its own in the settings: a plugin. */
export interface SettingsOwner {
  readonly name: string
  readonly settings: TSchema
  readonly settingsFrom?: readonly SettingSource[]
}
