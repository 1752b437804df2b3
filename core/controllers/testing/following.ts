import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { Logger } from '#core/log/logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Store } from '#core/event-store/store.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { runInformers } from '../informer.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'

/** Requirements of tests with a cluster and a store. */
export const real = needs('etcd', 'kube-apiserver', 'postgres')
/** A log without output. */
export const silent: Logger = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}

/** The watched kind. */
export const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
/** Namespaces of the watched kind. */
export const namespaces: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}
/** One informer of ConfigMaps. */
export const informers = [{ resource: configMaps, resourceKind: 'ConfigMap' }]

/** Opens an empty store. */
export async function openStore(t: TestContext, given?: Database) {
  const database = given ?? (await openDatabase({ url: await createDatabase(t) }))
  t.after(() => database.close())
  await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }])
  return { database, store: createStore(database, { projections: [] }) }
}

/** Creates a store, and a namespace on a real API server. */
export async function setUp(t: TestContext, database?: Database) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const namespace = parseLabel('namespace', `informer-${process.pid}-${(count += 1)}`)
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const ref = (name: string) => ({ namespace, name: parseName('name', name) })
  return {
    ...(await openStore(t, database)),
    kube,
    pool,
    namespace,
    admin,
    // The server is shared with other test files: the informer of this test is limited to its namespace.
    cluster: within(admin, namespace),
    make: (name: string) => admin.create<KubeObject>(configMaps, object(namespace, name)),
    change: (name: string, body: object) => admin.patch(configMaps, ref(name), { type: 'merge', body }),
    remove: (name: string) => admin.delete(configMaps, ref(name)),
  }
}
let count = 0

/** A ConfigMap without data. */
export const object = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
})

function within(cluster: KubeClient, namespace: ReturnType<typeof parseLabel>): KubeClient {
  return {
    ...cluster,
    list: (resource, query) => cluster.list(resource, resource.namespaced ? { ...query, namespace } : query),
    watch: (resource, query) => cluster.watch(resource, resource.namespaced ? { ...query, namespace } : query),
  }
}

/** See {@link setUp}. */
export type Setup = Awaited<ReturnType<typeof setUp>>

/** Runs the informer until the test ends or `stop`. */
export function start(
  t: TestContext,
  { store, cluster }: Pick<Setup, 'store' | 'cluster'>,
  more: { pageSize?: number; watchSeconds?: number } = {},
) {
  const controller = new AbortController()
  const running = runInformers({ cluster, store, informers, log: silent, signal: controller.signal, ...more })
  const stop = async (): Promise<void> => {
    controller.abort()
    await running.done
  }
  t.after(stop)
  return { ...running, stop }
}

/** Events of the ConfigMaps created by the test, as `verb name`, in commit order, without the cluster's own ConfigMap. */
export async function facts(database: Database): Promise<string[]> {
  const rows = await database.db.selectFrom('events').selectAll().orderBy('position').execute()
  return rows
    .filter((row) => row.name !== 'kube-root-ca.crt' && !row.type.includes('.gap.'))
    .map((row) => `${row.type.split('.')[3]} ${row.name}`)
}

/** Reasons of the announced gaps. */
export async function gaps(database: Database): Promise<unknown[]> {
  const rows = await database.db.selectFrom('events').selectAll().where('type', 'like', '%.gap.%').execute()
  return rows.map((row) => (row.data as { reason?: unknown }).reason)
}

/** Polls for at most a minute. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, `not reached in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A store whose transactions can be made to fail and to wait; `asked` counts them. */
export function gated(store: Store) {
  let open = Promise.withResolvers<void>()
  open.resolve()
  const gate = {
    asked: 0,
    /** Transactions still to be refused. */
    refuse: 0,
    close: () => void (open = Promise.withResolvers()),
    open: () => open.resolve(),
    store: {
      ...store,
      transact: async (fn) => {
        gate.asked += 1
        if (gate.refuse > 0) {
          gate.refuse -= 1
          throw new Fail('store_unavailable')
        }
        await open.promise
        return store.transact(fn)
      },
    } satisfies Store as Store,
  }
  return gate
}
