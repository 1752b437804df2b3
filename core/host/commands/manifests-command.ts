import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { addedManifests, allManifests } from '#core/plugin/manifests.ts'
import { checkKinds } from '../load/check-kinds.ts'
import { exitCodes } from '../process/run-process.ts'
import { coverPlugin } from '../third-party/integrity.ts'
import { locatePlugin } from '../third-party/locate-plugin.ts'
import { settingsFolder } from '../third-party/third-party.ts'
import type { CoreCommandInput } from './core-command.ts'

/** `mesh manifests`. */
export async function printManifests({
  values,
  out,
  plugins: load,
}: CoreCommandInput<{ readonly 'third-party': boolean }>): Promise<number> {
  const { plugins, thirdParty } = await load()
  checkKinds(plugins)
  const added = plugins.filter(({ name }) => thirdParty.has(name))
  const builtIn = plugins.filter(({ name }) => !thirdParty.has(name))
  out(values['third-party'] ? addedManifests(added) : allManifests(builtIn, added))
  return exitCodes.ok
}

/** `mesh plugins integrity`. Reads the files of plugins and runs none of them. */
export async function printIntegrity({
  values: { plugin: named },
  env,
  out,
}: CoreCommandInput<{ readonly plugin: readonly string[] }>): Promise<number> {
  const file = openSettings({ env })
  const listed = readCoreSettings(file, env).plugins.map((entry) => (typeof entry === 'string' ? entry : entry.from))
  for (const from of named.length > 0 ? named : listed) {
    const { integrity } = await coverPlugin(from, await locatePlugin(from, settingsFolder(file)))
    out(`- { from: ${JSON.stringify(from)}, integrity: ${integrity} }\n`)
  }
  return exitCodes.ok
}
