import { addedManifests, allManifests } from '#core/plugin/manifests.ts'
import { checkKinds } from '../load/check-kinds.ts'
import { exitCodes } from '../process/run-process.ts'
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
