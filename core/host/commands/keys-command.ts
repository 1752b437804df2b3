import { mkdirSync } from 'node:fs'
import { stringify } from 'yaml'
import { openSettings, readCoreSettings, refuseUnusableFiles } from '#core/config/settings.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { keyNames } from '#core/signing/key-files.ts'
import { changeKeyFolder, readKeyFolder } from '#core/signing/key-folder.ts'
import { namesOfRoles } from '#core/signing/role-keys.ts'
import { planInit, planRotation } from '#core/signing/rotation.ts'
import type { KeyPlan } from '#core/signing/rotation.ts'
import { SYSTEM_NAMESPACE } from '#schemas/group.ts'
import { locateCluster } from '#core/cluster/cluster-config.ts'
import { BadArguments, parseFlags } from './database-command.ts'
import type { CommandInput } from './database-command.ts'
import { readKeySecrets, toKeyManifests } from './key-secrets.ts'
import type { KeyTexts } from './key-secrets.ts'
import { exitCodes } from '../process/run-process.ts'

const usage = `usage: mesh keys init   [--namespace NAME | --dir DIR] [--output yaml|json]
       mesh keys rotate [--namespace NAME | --dir DIR] [--output yaml|json] [--force] [--revoke]

Signing keys of an installation: the Secrets mesh-keys-<role> of the cluster that KUBECONFIG, MESH_CLUSTER_SERVER or the pod names,
or the files of a folder (MESH_KEYS_DIR of roles that run elsewhere).

  init      makes the keys that are missing and keeps those that are there
  rotate    publishes a new key of each kind; the one published before begins to sign, older ones verify for eight days more

Roles read their keys again without a restart. Rotate at most once an hour; a second call within the hour changes nothing.

  --namespace NAME   namespace of the Secrets (default ${SYSTEM_NAMESPACE})
  --dir DIR          the folder with all keys, instead of the cluster
  --output FORMAT    prints the Secrets; the cluster is read, and not written
  --force            rotates although the last rotation is less than an hour ago: roles that have not read its keys refuse the new ones
  --revoke           removes the older keys at once, for a key that leaked: what they signed is refused, runs in progress fail

Exit code: 0 done, 1 could not run, 2 wrong arguments.
`

/** `mesh keys init` and `mesh keys rotate` (ADR 0025). Returns the exit code. */
export async function keysCommand(kind: 'init' | 'rotate', input: CommandInput): Promise<number> {
  if (input.args.includes('--help')) {
    input.out(usage)
    return exitCodes.ok
  }
  try {
    const flags = readFlags(kind, input.args)
    const names = flags.dir === undefined ? namesOfRoles : keyNames
    const now = new Date()
    const plan = (files: readonly string[]): KeyPlan =>
      kind === 'init' ? planInit(files, now, names) : planRotation(files, { now, ...flags }, names)
    await (flags.dir === undefined
      ? inCluster(input, flags, plan)
      : inFolder(input, { ...flags, dir: flags.dir }, plan))
    return exitCodes.ok
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    input.err(`mesh: ${text}\n${error instanceof BadArguments ? `\n${usage}` : ''}`)
    return error instanceof BadArguments ? exitCodes.usage : exitCodes.failed
  }
}

interface Flags {
  readonly namespace: DnsLabel
  readonly dir: string | undefined
  readonly output: 'yaml' | 'json' | undefined
  readonly force: boolean
  readonly revoke: boolean
}

type Plan = (files: readonly string[]) => KeyPlan

function readFlags(kind: 'init' | 'rotate', args: readonly string[]): Flags {
  const { values, positionals } = parseFlags(args, {
    namespace: { type: 'string', default: SYSTEM_NAMESPACE },
    dir: { type: 'string' },
    output: { type: 'string' },
    force: { type: 'boolean', default: false },
    revoke: { type: 'boolean', default: false },
  })
  const { output, dir, force, revoke } = values
  if (positionals.length > 0) throw new BadArguments(`unknown argument ${positionals[0]}`)
  if (output !== undefined && output !== 'yaml' && output !== 'json')
    throw new BadArguments('--output: must be yaml or json')
  if (kind === 'init' && (force || revoke)) throw new BadArguments('--force and --revoke belong to rotate')
  return { namespace: parseLabel('--namespace', values.namespace), dir, output, force, revoke }
}

async function inFolder(input: CommandInput, flags: Flags & { readonly dir: string }, plan: Plan): Promise<void> {
  mkdirSync(flags.dir, { recursive: true, mode: 0o700 })
  const change = plan([...readKeyFolder(flags.dir).keys()])
  changeKeyFolder(flags.dir, change)
  if (flags.output !== undefined) return print(input, flags, readKeyFolder(flags.dir))
  input.out(`${flags.dir}: ${summary(change)}\n`)
}

async function inCluster(input: CommandInput, flags: Flags, plan: Plan): Promise<void> {
  const file = openSettings({ env: input.env })
  const core = readCoreSettings(file, input.env)
  const instead = { keysDir: undefined, ...(core.cluster.server === undefined ? {} : { kubeconfig: undefined }) }
  refuseUnusableFiles({ file, env: input.env, plugins: [] }, { core, slices: new Map() }, { roles: ['state'], instead })
  const location = await locateCluster(core, input.env)
  const pool = createPool(location.server, location.tls)
  try {
    // The user's kubeconfig or the account of the pod; the role `state` accepts either.
    const cluster = createKubeClient({ server: location.server, pool, bearer: location.bearerOf('state') ?? null })
    const secrets = await readKeySecrets(cluster, flags.namespace)
    const change = plan([...secrets.keys.keys()])
    const keys = applied(secrets.keys, change)
    if (flags.output !== undefined) return print(input, flags, keys)
    const lines = await secrets.write(keys)
    input.out(`${[...lines, `namespace ${flags.namespace}: ${summary(change)}`].join('\n')}\n`)
  } finally {
    await pool.close()
  }
}

function applied(keys: KeyTexts, { add, remove }: KeyPlan): KeyTexts {
  return new Map([...keys, ...add].filter(([file]) => !remove.includes(file)))
}

function print(input: CommandInput, { output, namespace }: Flags, keys: KeyTexts): void {
  const list = toKeyManifests(keys, namespace)
  input.out(output === 'json' ? `${JSON.stringify(list)}\n` : stringify(list))
}

function summary({ add, remove }: KeyPlan): string {
  if (add.size === 0 && remove.length === 0) return 'nothing to change'
  return `${add.size} keys made, ${remove.length} removed`
}
