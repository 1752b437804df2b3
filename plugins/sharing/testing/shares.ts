import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { sql } from 'kysely'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import type { BuildOptions } from '#core/http/testing/build-server.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { KubeError } from '#core/kube/status.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { findForCaller } from '#plugins/runs/read/find-run.ts'
import { snapshotRun } from '#plugins/runs/read/snapshot-run.ts'
import { lockRun } from '#plugins/runs/store/internal/lease.ts'
import type { RunsTables, SelectedRun } from '#plugins/runs/contract/tables.ts'
import type { RunFact } from '#plugins/runs/lifecycle/decide.ts'
import { agent, createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import type { EntryKind } from '#schemas/runs/run.ts'
import { sharingConsumers } from '../consumers.ts'
import { sharingRoutes } from '../routes/index.ts'
import { createServices } from '../services/create-services.ts'
import { sharingSettings } from '../contract/settings.ts'
import type { SharingSettings } from '../contract/settings.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../../runs/migrations/', import.meta.url) }
const httpMigrations = { name: 'http', migrations: new URL('../../../core/http/migrations/', import.meta.url) }
/** Migrations of the plugin. */
export const sharingMigrations = { name: 'sharing', migrations: new URL('../migrations/', import.meta.url) }

/** The cluster of these tests: the agent, and the refused rights of each bearer token. */
export interface TestCluster {
  /** Spec of the agent; undefined once it is deleted. */
  spec: object | undefined
  /** Refused rights, such as `alice-token get runs`. */
  readonly refused: Set<string>
  /** Requests, in order. */
  readonly asked: string[]
}

/** Shares of runs of the test agent, served as by a BFF, on a migrated database with a live namespace `default`. */
export async function openShares(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  some: Partial<SharingSettings> = {},
) {
  const cluster = { name: 'cluster', migrations: clusterMigrations }
  const database = await open(t, [cluster, runsMigrations, httpMigrations, sharingMigrations])
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', '', 'default', '1', '')`.execute(database.root)
  const bus = createMemoryBus()
  t.after(() => bus.close())
  const world = createWorld(database, bus)
  const { store } = world
  const answers: TestCluster = { spec: {}, refused: new Set(), asked: [] }
  const settings = { ...Value.Create(sharingSettings), ...some }
  const runs = {
    find: (caller: Caller, reference: { readonly runId: string }) =>
      findForCaller(store.reader<RunsTables>(), caller, reference),
    snapshot: (caller: Caller, id: string, most: Parameters<typeof snapshotRun>[3]) =>
      snapshotRun(store, caller, id, most),
    lockIn: async (tx: Parameters<Parameters<typeof store.transact>[0]>[0], id: string) =>
      (await lockRun(tx.tables<RunsTables>(), id)) !== undefined,
  }
  const metrics = createMetrics()
  const start = async (more: BuildOptions = {}) => {
    const services = createServices({ store, bus, metrics }, settings, { runs: runs as never })
    const upstream = { as: async (bearer: string) => callerOf(answers, bearer) }
    return buildServer(t, [{ name: 'sharing', endpoints: sharingRoutes(services) }], {
      store,
      cluster: upstream,
      streams: { total: 20, perUser: 20 },
      ...more,
    })
  }
  return {
    database,
    world,
    metrics,
    cluster: answers,
    /** Starts another replica. */
    start,
    services: createServices({ store, bus, metrics }, settings, { runs: runs as never }),
    run: (journal: Journal = [], outcome: readonly RunFact[] = [{ fact: 'succeeded' }]) =>
      runWith(world, journal, outcome),
    /** Delivers `runs.deleted` events, as a worker. */
    async deliver(runIds: readonly string[]): Promise<void> {
      const services = createServices({ store, bus, metrics }, settings, { runs: runs as never })
      const [consumer] = sharingConsumers(services)
      const events = runIds.map((runId) => ({ data: { runId } }))
      await store.transact((tx) => consumer?.handle(events as never, tx) ?? Promise.resolve())
    },
    async usage(): Promise<readonly [number, number] | undefined> {
      const { rows } = await sql<{ shares: bigint; bytes: bigint }>`select shares, bytes from sharing_usage`.execute(
        database.root,
      )
      return rows[0] === undefined ? undefined : [Number(rows[0].shares), Number(rows[0].bytes)]
    },
  }
}

/** Entries of a journal: kind and data. */
export type Journal = readonly (readonly [EntryKind, Readonly<Record<string, unknown>>])[]

/** A run of the test agent with input, these entries, and output if it succeeded. */
async function runWith(
  world: ReturnType<typeof createWorld>,
  journal: Journal,
  outcome: readonly RunFact[],
): Promise<SelectedRun> {
  const run = await queueRunOf(world, { input: 'the question', labels: { team: 'blue' } })
  const entries = journal.map(([kind, data], index) => {
    const spanId = index.toString(16).padStart(16, '0')
    return { ts: new Date(), kind, path: [agent.name], spanId, data }
  })
  const actor = { name: 'worker', kind: 'system' } as const
  await world.writer.change(run.id, { actor }, () => ({
    facts: [{ fact: 'started', epoch: 1, segment: 1 }, ...outcome],
    entries,
    ...(outcome.some(({ fact }) => fact === 'succeeded')
      ? { content: { succeeded: { output: 'the answer' } }, stored: { output: 'the answer', outputPreview: null } }
      : {}),
  }))
  return run
}

function callerOf({ refused, asked, ...answers }: TestCluster, bearer: string): Caller {
  const username = bearer.replace('-token', '')
  asked.push(`as ${username}`)
  const review: Caller['review'] = async (verb, resource, where) => {
    asked.push(`review ${verb} ${resource}`)
    if (refused.has(`${username} ${verb} ${resource}`))
      throw new KubeError(403, 'Forbidden', `${resource}.mesh.dev is forbidden: User "${username}" cannot ${verb}`)
    return { verb, resource, namespace: where.namespace, username } as Access<typeof verb, typeof resource>
  }
  const get = async () => {
    asked.push('get agent')
    if (refused.has(`${username} get agentdeployments`)) throw new KubeError(403, 'Forbidden', 'forbidden')
    if (answers.spec === undefined) throw new KubeError(404, 'NotFound', 'not found')
    return { metadata: { name: agent.name, uid: agent.uid }, spec: answers.spec }
  }
  return {
    username,
    bearer,
    cluster: { get } as unknown as KubeClient,
    whoami: async () => ({ username, uid: '', groups: [], extra: {} }),
    rulesIn: async () => ({ complete: true, rules: [] }),
    review,
    may: (verb, resource, where) => review(verb, resource, where).catch(() => undefined),
  }
}
