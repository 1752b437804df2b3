import type { TSchema } from 'typebox'
import type { Profile } from './profile.ts'

/** An environment variable or dotted settings path, and the key of the section that it sets. */
export interface SettingSource {
  readonly from: string
  readonly to: string
  readonly parse?: (text: string) => unknown
}

/** Owner of a section of the settings: a plugin. */
export interface SettingsOwner {
  readonly name: string
  readonly settings: TSchema
  readonly settingsFrom?: readonly SettingSource[]
  /** Profiles that do not start without it. */
  readonly requiredBy?: readonly Profile[]
}
