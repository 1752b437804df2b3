import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { addedManifests, allManifests } from '#core/plugin/manifests.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { checkKinds } from '../load/check-kinds.ts'
import { loadListedPlugins } from '../load/third-party.ts'
import { exitCodes } from '../process/run-process.ts'
import { BadArguments, parseFlags } from './database-command.ts'
import type { CommandInput } from './database-command.ts'

const usage = `usage: mesh manifests [--third-party]

Prints the CustomResourceDefinitions, ClusterRoles and bindings that the installed plugins need, as YAML:
  mesh manifests --third-party | kubectl apply --server-side -f -

  --third-party  only those of the plugins that mesh.yaml lists. They add to the manifests of deploy/ and change none of
                 them: personas are aggregated ClusterRoles, accounts get further bindings. Apply them before the roles start.

Reads mesh.yaml and the environment, and loads the plugins; contacts neither cluster nor database. With chosen namespaces
(cluster.namespaces), replace each ClusterRoleBinding by a RoleBinding in each of them.
Exit code: 0 done, 1 could not run, 2 wrong arguments.
`

/** `mesh manifests`; resolves with the exit code. */
export async function manifestsCommand(input: CommandInput, plugins: readonly AnyPlugin[]): Promise<number> {
  if (input.args.includes('--help')) {
    input.out(usage)
    return exitCodes.ok
  }
  try {
    const { values, positionals } = parseFlags(input.args, { 'third-party': { type: 'boolean' } })
    const [extra] = positionals
    if (extra !== undefined) throw new BadArguments(`unknown argument ${JSON.stringify(extra.slice(0, 60))}`)
    const file = openSettings({ env: input.env })
    const thirdParties = await loadListedPlugins(file, readCoreSettings(file, input.env), plugins)
    checkKinds([...plugins, ...thirdParties])
    input.out(values['third-party'] === true ? addedManifests(thirdParties) : allManifests(plugins, thirdParties))
    return exitCodes.ok
  } catch (error) {
    const isUsage = error instanceof BadArguments
    input.err(`mesh: ${error instanceof Error ? error.message : String(error)}\n${isUsage ? `\n${usage}` : ''}`)
    return isUsage ? exitCodes.usage : exitCodes.failed
  }
}
