import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { sql } from 'kysely'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { parseLabel } from '#core/kube/names.ts'
import { readScoredRuns } from '#plugins/feedback/store/scores.ts'
import { findForCaller } from '#plugins/runs/read/find-run.ts'
import { snapshotRun } from '#plugins/runs/read/snapshot-run.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import type { World } from '#plugins/runs/testing/world.ts'
import type { FeedbackTables } from '#plugins/feedback/contract/tables.ts'
import type { DatasetsServices } from '../contract/services.ts'
import { datasetsSettings } from '../contract/settings.ts'
import type { DatasetsSettings } from '../contract/settings.ts'
import { datasetsRoutes } from '../routes/index.ts'

const sources = [
  { name: 'http', migrations: new URL('../../../core/http/migrations/', import.meta.url) },
  ...['runs', 'feedback', 'datasets'].map((name) => ({
    name,
    migrations: new URL(`../../${name}/migrations/`, import.meta.url),
  })),
]

/** A response of a route. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
  json<T>(): T
}

/** Migrates a database for datasets, with a live namespace `default` and the agent of the runs' tests. */
export async function migrateForDatasets(database: Database): Promise<void> {
  await migrate(database, [{ name: 'cluster', migrations: clusterMigrations }, ...sources])
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, spec) values
    ('ns-uid', 'Namespace', '', 'default', '1', '', null),
    ('uid-1', 'AgentDeployment', 'default', 'robot', '1', '', '{}')`.execute(database.root)
}

/** Services of datasets on a world. */
export function createDatasetServices(world: World, some: Partial<DatasetsSettings> = {}): DatasetsServices {
  const { store } = world
  const runs: Partial<RunsApi> = {
    find: (caller, reference) => findForCaller(store.reader<RunsTables>(), caller, reference),
    snapshot: (caller, runId, most) => snapshotRun(store, caller, runId, most),
  }
  const core = { store, now: () => new Date(), observed: { namespaceUid: async () => 'ns-uid' } }
  return {
    core: core as unknown as DatasetsServices['core'],
    store,
    now: core.now,
    settings: { ...Value.Create(datasetsSettings), ...some },
    runs: runs as RunsApi,
    feedback: {
      scored: (ids, match) => readScoredRuns(store.reader<FeedbackTables>(), ids, match),
      meansOf: async () => [],
    },
  }
}

/** Serves the routes of datasets on a migrated database. */
export async function serveDatasets(
  t: TestContext,
  open: (t: TestContext) => Promise<Database>,
  some: Partial<DatasetsSettings> = {},
) {
  const database = await open(t)
  await migrateForDatasets(database)
  const world = createWorld(database)
  const services = createDatasetServices(world, some)
  const directory = createServedDirectory([parseLabel('namespace', 'default')])
  const { app, upstream, lines } = await buildServer(t, [{ endpoints: datasetsRoutes(services) }], {
    store: world.store,
    directory,
  })
  const send = async (
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    { token = 'good-token', type, ...headers }: Readonly<Record<string, string>> = {},
  ): Promise<Reply> => {
    const response = await app.inject({
      method,
      url: `/api/datasets${path}`,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: type === undefined ? JSON.stringify(body) : (body as string) }),
    })
    if (response.statusCode === 500) throw new Error(lines.join('\n'))
    return { status: response.statusCode, body: response.body, headers: response.headers, json: () => response.json() }
  }
  return { database, world, services, upstream, send, run: (given = {}) => queueRunOf(world, given) }
}
