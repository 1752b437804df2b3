import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { createCallers } from '#core/cluster/callers.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseRef } from '#core/kube/names.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { limitKeyring } from '#core/signing/role-keys.ts'
import { createRunsApi } from '../../create-api.ts'
import { runs as runsPlugin } from '../../index.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { RunExecutor } from '../../contract/points.ts'
import type { RunsServices } from '../../services/create-services.ts'
import { createWorld } from '../../testing/world.ts'

type RunsRole = 'bff' | 'gateway' | 'state' | 'worker' | 'manager'

/** A permission of an account in a namespace, on every object or a named one. */
export interface Grant {
  readonly user: string
  readonly namespace: string
  readonly resource?: string
  readonly name?: string
  /** Default: `create`. */
  readonly verb?: string
}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true }
const roles = { ...rbac, plural: 'roles', kind: 'Role' }
const bindings = { ...rbac, plural: 'rolebindings', kind: 'RoleBinding' }
const serviceAccounts = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

/** API server, store and the roles of an installation, each with its own keys only. */
export async function startRig(
  t: TestContext,
  database: Database,
  settings: Parameters<typeof createWorld>[2] = {},
  executors: readonly RunExecutor[] = [],
) {
  const runs = { name: 'runs', migrations: new URL('../../migrations/', import.meta.url) }
  await migrate(database, [{ name: 'cluster', migrations: clusterMigrations }, runs])
  const tokens = [
    { token: ADMIN, username: 'admin', uid: 'u1', groups: ['system:masters'] },
    { token: 'admin-token', username: 'admin', uid: 'u1', groups: ['system:masters'] },
    { token: 'alice-token', username: 'alice', uid: 'u2', groups: ['developers'] },
    { token: 'bob-token', username: 'bob', uid: 'u3', groups: [] },
  ]
  // Hooks run in the order of their registration: connections end before their server.
  const closers: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const close of closers) await close()
  })
  const server = await startTestServer(t, { tokens })
  const pool = createPool(server.url)
  closers.push(() => pool.close())
  const admin = createKubeClient({ server: server.url, pool, bearer: ADMIN })
  const callers = createCallers({ server: server.url, pool })
  const clock = { now: Date.now() }
  const world = createWorld(database, undefined, settings)
  const rig = {
    world,
    admin,
    clock,
    database,
    manager: { cluster: admin, subjectMay: createOwnIdentity({ cluster: admin }).subjectMay },
    keys: (role: RunsRole) => keysOf(role),
    caller: (name: string) => callers.as(`${name}-token`),
    /** Creates the API as in a process of the role. */
    api: (role: RunsRole): RunsApi =>
      createRunsApi({
        ...world,
        core: {
          keys: keysOf(role),
          now: () => new Date(clock.now),
          observed: createObserved(world.store),
          extensions: () => executors,
        },
        refused: () => undefined,
      } as unknown as RunsServices),
    /** Records an object in the index as the manager does. */
    async observe(kind: string, namespace: string, name: string, uid: string) {
      await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
        values (${uid}, ${kind}, ${namespace}, ${name}, '1', '')`.execute(database.root)
    },
    async forget(uid: string) {
      await sql`update object_index set deleted_at = now() where uid = ${uid}`.execute(database.root)
    },
    async allow({ user, namespace, resource = 'agentdeployments/invoke', name, verb = 'create' }: Grant) {
      const of = `r-${Math.random().toString(36).slice(2)}`
      const metadata = { name: of, namespace }
      const rule = { apiGroups: ['mesh.dev'], resources: [resource], verbs: [verb] }
      const rules = [name === undefined ? rule : { ...rule, resourceNames: [name] }]
      await admin.create(roles, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules })
      await admin.create(bindings, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: of },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      })
      return () => admin.delete(bindings, parseRef({ namespace, name: of }, ['n', 'n']))
    },
    async account(namespace: string, name: string) {
      await admin.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
    },
    /** Creates the proof of a caller by a review of the API server. */
    async proof(name: string, agent = robot) {
      return (await callers.as(`${name}-token`)).review('create', 'agentdeployments/invoke', {
        namespace: parseLabel('n', agent.namespace),
        name: agent.name,
      })
    },
  }
  for (const name of ['team', 'other']) {
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    await rig.observe('Namespace', '', name, `uid-${name}`)
    await rig.observe('AgentDeployment', name, 'robot', `uid-${name}-robot`)
  }
  return rig
}

/** The agent of these tests; there is one of that name in each namespace. */
export const robot = { namespace: 'team', name: 'robot' }

/** Types of the keys of runs. */
export const keyTypes = new Map(['grant', 'account', 'attempt'].map((name) => [name, 'ed25519'] as const))
const all = createKeyring({ generate: keyTypes })

/** The keys of a process of the role. */
function keysOf(role: RunsRole) {
  return limitKeyring(all, runsPlugin.keys?.[role] ?? {}, (name) => new Error(`no key "${name}"`))
}
