import { mkdirSync } from 'node:fs'
import { stringify } from 'yaml'
import { openSettings, readCoreSettings, refuseUnusableFiles } from '#core/config/settings.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { changeKeyFolder, readKeyFolder } from '#core/signing/key-folder.ts'
import { planInit, planRotation } from '#core/signing/rotation.ts'
import type { KeyPlan } from '#core/signing/rotation.ts'
import { locateCluster } from '#core/cluster/cluster-config.ts'
import { BadArguments } from '#core/command-line/option.ts'
import { declareKeys } from '../load/plugin-keys.ts'
import type { DeclaredKeys } from '../load/plugin-keys.ts'
import { exitCodes } from '../process/run-process.ts'
import type { CoreCommandInput } from './core-command.ts'
import { readKeySecrets, toKeyManifests } from './key-secrets.ts'
import type { KeyTexts } from './key-secrets.ts'

interface KeysOptions {
  readonly namespace: string
  readonly dir: string | undefined
  readonly output: 'yaml' | 'json' | undefined
}

type Input = CoreCommandInput<KeysOptions>
type Plan = (files: readonly string[]) => KeyPlan

/** `mesh keys init` (ADR 0025). */
export async function initKeys(input: Input): Promise<number> {
  const declared = await declaredBy(input)
  return changeKeys(input, declared, (files) => planInit(files, declared.types, new Date()))
}

/** `mesh keys rotate` (ADR 0025). */
export async function rotateKeys(
  input: CoreCommandInput<KeysOptions & { readonly force: boolean; readonly revoke: boolean }>,
): Promise<number> {
  const declared = await declaredBy(input)
  const { force, revoke } = input.values
  return changeKeys(input, declared, (files) => planRotation(files, declared.types, { now: new Date(), force, revoke }))
}

async function declaredBy({ plugins }: Input): Promise<DeclaredKeys> {
  const loaded = await plugins()
  return declareKeys(loaded.plugins, loaded.thirdParty)
}

async function changeKeys(input: Input, declared: DeclaredKeys, plan: Plan): Promise<number> {
  const { dir } = input.values
  await (dir === undefined ? inCluster(input, declared, plan) : inFolder(input, { dir, declared, plan }))
  return exitCodes.ok
}

interface FolderChange {
  readonly dir: string
  readonly declared: DeclaredKeys
  readonly plan: Plan
}

async function inFolder(input: Input, { dir, declared, plan }: FolderChange): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const change = plan([...readKeyFolder(dir).keys()])
  changeKeyFolder(dir, change)
  if (input.values.output !== undefined) return print(input, declared, readKeyFolder(dir))
  input.out(`${dir}: ${summary(change)}\n`)
}

async function inCluster(input: Input, declared: DeclaredKeys, plan: Plan): Promise<void> {
  const namespace = namespaceOf(input)
  const file = openSettings({ env: input.env })
  const core = readCoreSettings(file, input.env)
  const instead = { keysDir: undefined, ...(core.cluster.server === undefined ? {} : { kubeconfig: undefined }) }
  refuseUnusableFiles({ file, env: input.env, plugins: [] }, { core, slices: new Map() }, { roles: ['state'], instead })
  const location = await locateCluster(core, input.env)
  const pool = createPool(location.server, location.tls)
  try {
    // The user's kubeconfig or the account of the pod; the role `state` accepts either.
    const cluster = createKubeClient({ server: location.server, pool, bearer: location.bearerOf('state') ?? null })
    const secrets = await readKeySecrets(cluster, namespace, declared)
    const change = plan([...secrets.keys.keys()])
    const keys = applied(secrets.keys, change)
    if (input.values.output !== undefined) return print(input, declared, keys)
    const lines = await secrets.write(keys)
    input.out(`${[...lines, `namespace ${namespace}: ${summary(change)}`].join('\n')}\n`)
  } finally {
    await pool.close()
  }
}

function applied(keys: KeyTexts, { add, remove }: KeyPlan): KeyTexts {
  return new Map([...keys, ...add].filter(([file]) => !remove.includes(file)))
}

function print(input: Input, declared: DeclaredKeys, keys: KeyTexts): void {
  const list = toKeyManifests(keys, namespaceOf(input), declared)
  input.out(input.values.output === 'json' ? `${JSON.stringify(list)}\n` : stringify(list))
}

function namespaceOf({ values: { namespace } }: Input) {
  try {
    return parseLabel('--namespace', namespace)
  } catch (error) {
    throw new BadArguments(error instanceof Error ? error.message : 'not a namespace')
  }
}

function summary({ add, remove }: KeyPlan): string {
  if (add.size === 0 && remove.length === 0) return 'nothing to change'
  return `${add.size} keys made, ${remove.length} removed`
}
