import { findSettingsFile } from '#core/config/find-settings-file.ts'

/** Whether the settings file lists plugins, or cannot be read: loading them then reports why. */
export async function listsPlugins(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  try {
    const file = findSettingsFile(env)
    if (file === undefined) return false
    const { readYamlFile } = await import('#core/config/yaml-file.ts')
    const { plugins } = readYamlFile(file).tree
    return Array.isArray(plugins) ? plugins.length > 0 : plugins !== undefined && plugins !== null
  } catch {
    return true
  }
}
