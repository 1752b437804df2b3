import type { Command } from '#core/plugin/command.ts'
import { SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import { defineCoreCommand } from './core-command.ts'

/** `--output text|json` of commands that print a result. */
const output = { oneOf: ['text', 'json'], default: 'text', help: 'form of the result' } as const
const readsSettings = 'Reads DATABASE_URL, as the roles do.'

const listDeadLetters = defineCoreCommand({
  words: 'worker dead-letters list',
  summary: 'list events that a consumer gave up on',
  description: `Events that a consumer gave up on after its attempts, oldest first.\n\n${readsSettings}`,
  options: {
    consumer: { value: 'NAME', help: 'of this consumer only' },
    limit: { value: 'N', default: '200', help: 'maximum number, 1 to 10000', parse: integer(1, 10_000) },
    output,
  },
  load: async () => (await import('./dead-letters-command.ts')).printDeadLetters,
})

const redriveDeadLetters = defineCoreCommand({
  words: 'worker dead-letters redrive',
  summary: 'deliver events again that a consumer gave up on',
  description: `The running consumer retries them once, within a minute. If that fails, they are listed again with one more attempt.\n\n${readsSettings}`,
  options: {
    id: { positional: true, repeatable: true, help: 'id of an event; without one, all events of the consumer' },
    consumer: { value: 'NAME', help: 'of this consumer only' },
    output,
  },
  exitCodes: { 1: 'could not run or an id was not found' },
  load: async () => (await import('./dead-letters-command.ts')).redriveDeadLetters,
})

const ofTasks = {
  task: { value: 'NAME', help: 'of this type only' },
  namespace: { value: 'NAME', help: 'of this namespace only' },
  output,
} as const

const listDeadTasks = defineCoreCommand({
  words: 'worker dead-tasks list',
  summary: 'list tasks without attempts left',
  description: `Tasks that failed in their last attempt, or that their handler gave up, oldest first. Payloads are not printed.\n\n${readsSettings}`,
  options: {
    ...ofTasks,
    limit: { value: 'N', default: '200', help: 'maximum number, 1 to 10000', parse: integer(1, 10_000) },
  },
  load: async () => (await import('./dead-tasks-command.ts')).printDeadTasks,
})

const retryDeadTasks = defineCoreCommand({
  words: 'worker dead-tasks retry',
  summary: 'run dead tasks again',
  description: `The tasks are due immediately, with their full number of attempts.\n\n${readsSettings}`,
  options: {
    id: { positional: true, repeatable: true, help: 'id of a task; without one, all dead tasks of the type' },
    ...ofTasks,
  },
  exitCodes: { 1: 'could not run or an id was not found' },
  load: async () => (await import('./dead-tasks-command.ts')).retryTasks,
})

const rebuild = defineCoreCommand({
  words: 'rebuild',
  summary: 'rebuild the tables of a projection from the event log',
  description: `Rebuilds the tables of a projection, such as runs.runs, from the event log while the roles run. The new tables replace the old ones
under a short lock. Use it after a defect wrote wrong rows, or to return to an older release whose projection has a lower version:
\`mesh migrate\` rebuilds a projection with a higher version by itself. Refused when retention has dropped the beginning of the log.

Reads the settings of the role migrate.`,
  options: { projection: { positional: true, required: true, help: 'name of the projection' } },
  load: async () => (await import('./rebuild-command.ts')).rebuildTables,
})

const manifests = defineCoreCommand({
  words: 'manifests',
  summary: 'print the CRDs and roles that the installed plugins need',
  examples: [
    ['mesh manifests --third-party | kubectl apply --server-side -f -', 'install what the plugins of mesh.yaml need'],
  ],
  description: `Prints the CustomResourceDefinitions, ClusterRoles and bindings that the installed plugins need, as YAML. Those of the plugins that
mesh.yaml lists add to the manifests of deploy/ and change none of them: personas are aggregated ClusterRoles, accounts get further
bindings. Apply them before the roles start.

Reads mesh.yaml and the environment, and loads the plugins; contacts neither cluster nor database. With chosen namespaces
(cluster.namespaces), replace each ClusterRoleBinding by a RoleBinding in each of them.`,
  options: { 'third-party': { help: 'only those of the plugins that mesh.yaml lists' } },
  load: async () => (await import('./manifests-command.ts')).printManifests,
})

const integrity = defineCoreCommand({
  words: 'plugins integrity',
  summary: 'print the integrity hashes of third-party plugins for mesh.yaml',
  examples: [['mesh plugins integrity @acme/mesh-library', 'hash the files of an installed package']],
  description: `Prints a line for the list \`plugins\` of mesh.yaml for each plugin. The hash of a package covers every file that npm packs of it, the hash
of a path that one file. With it, the plugin loads modules of Node and these files only.

Reads mesh.yaml; contacts neither cluster nor database, and runs no code of the plugins.`,
  options: {
    plugin: {
      positional: true,
      repeatable: true,
      help: 'package name, or path from the settings file; without one, all plugins of mesh.yaml',
    },
  },
  load: async () => (await import('./manifests-command.ts')).printIntegrity,
})

const restore = defineCoreCommand({
  words: 'restore',
  summary: 'run once after a backup was restored',
  description: `Run once after PostgreSQL, or the cluster, was restored from a backup, while no role runs; then start the roles. The log begins a new
epoch, so that integrators can distinguish its positions from those they have seen; the bus gets a new stream; the manager's next lists decide
what is in the cluster. Only the messages on the bus are deleted.

Reads DATABASE_URL and NATS_URL, as the roles do.`,
  options: {
    epoch: {
      value: 'N',
      default: '0',
      help: 'newest epoch that was in use, if the bus was lost too; the new epoch is higher',
      parse: integer(0, 999_999),
    },
  },
  load: async () => (await import('./restore-command.ts')).restoreLog,
})

const whereKeys = {
  namespace: { value: 'NAME', default: SYSTEM_NAMESPACE, help: 'namespace of the Secrets' },
  dir: { value: 'DIR', help: 'folder with all keys, instead of the cluster' },
  output: {
    value: 'yaml|json',
    oneOf: ['yaml', 'json'],
    help: 'print the Secrets; the cluster is read and not written',
  },
} as const
const keysText = `the Secrets mesh-keys-<role> of the cluster that KUBECONFIG, MESH_CLUSTER_SERVER or the pod names, or the
files of a folder (MESH_KEYS_DIR of roles that run elsewhere). Plugins declare which role holds which key, also those of mesh.yaml.`

const initKeys = defineCoreCommand({
  words: 'keys init',
  summary: 'create the missing signing keys',
  description: `Creates the missing keys and keeps the others: ${keysText}`,
  options: whereKeys,
  load: async () => (await import('./keys-command.ts')).initKeys,
})

const rotateKeys = defineCoreCommand({
  words: 'keys rotate',
  summary: 'publish new signing keys',
  description: `Publishes a new key for each name. The previously published key begins to sign, and older keys verify for eight more days. The keys are
${keysText}

Roles reload their keys without a restart. Rotate at most once an hour; a second call within the hour changes nothing.`,
  options: {
    ...whereKeys,
    force: {
      help: 'rotate within an hour of the last rotation; roles that have not loaded its keys refuse the new ones',
    },
    revoke: {
      help: 'remove older keys immediately, for a leaked key; everything they signed is refused, and runs in progress fail',
    },
  },
  load: async () => (await import('./keys-command.ts')).rotateKeys,
})

/** Core's own commands. */
export const coreCommands: readonly Command[] = [
  listDeadLetters,
  redriveDeadLetters,
  listDeadTasks,
  retryDeadTasks,
  rebuild,
  manifests,
  integrity,
  restore,
  initKeys,
  rotateKeys,
]

function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= minimum && value <= maximum)) throw new Error(`must be ${minimum} to ${maximum}`)
    return value
  }
}
