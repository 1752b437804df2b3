import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { Embeddings } from '#core/retrieval/embeddings.ts'
import { formatPayer } from '#core/retrieval/payer.ts'
import type { Payer } from '#core/retrieval/payer.ts'
import { retrievalMigrations } from '#core/retrieval/retrieval-migrations.ts'
import { embeddingOf } from '#core/retrieval/testing/embedding-server.ts'
import { runTasks } from '#core/tasks/run-tasks.ts'
import { taskMigrations } from '#core/tasks/task-migrations.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { queueIngests } from '../ingest/queue-ingests.ts'
import type { Submission } from '../ingest/queue-ingests.ts'
import { searchBases } from '../search/search-bases.ts'
import { createServices } from '../services/create-services.ts'
import { knowledgeSettings } from '../contract/settings.ts'
import type { KnowledgeSettings } from '../contract/settings.ts'
import { ensureBase, findBases, lockBase, writeSettings } from '../store/bases.ts'
import type { BaseSettings } from '../store/bases.ts'
import type { KnowledgeTables } from '../contract/tables.ts'
import { refreshTask } from '../ingest/tasks.ts'
import { knowledgeTasks } from '../ingest/task-handlers.ts'

/** Migrations of the plugin. */
export const knowledgeMigrations = { name: 'knowledge', migrations: new URL('../migrations/', import.meta.url) }

/** Embeddings of the tests: `embed` may be replaced. */
export const testEmbeddings = (): { -readonly [Key in keyof Embeddings]: Embeddings[Key] } => ({
  embed: async ({ texts }) => ({ vectors: texts.map((text) => embeddingOf(text)), dimensions: 4 }),
})

/** Identity of a knowledge base of the tests; its namespace is `ns-<of>`. */
export function identityOf(uid: string, of = 'a') {
  return { uid, namespace: `ns-${of}`, namespaceUid: `ns-uid-${of}`, name: `name-${uid}` }
}

const someSettings: BaseSettings = {
  generation: 1,
  chunkSize: 200,
  chunkOverlap: 20,
  language: 'english',
  route: null,
  space: null,
  mostDocuments: null,
  mostChunks: null,
}

/** The plugin's store, queue and handlers on a migrated database, without a cluster. Outbound calls may reach this machine. */
export async function openKnowledge(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  some: Partial<KnowledgeSettings> = {},
) {
  const cluster = { name: 'cluster', migrations: clusterMigrations }
  const database = await open(t, [cluster, taskMigrations, retrievalMigrations, knowledgeMigrations])
  const store = createStore(database, { projections: [] })
  const log = createLogger({ destination: { write: () => undefined } })
  const outbound = createOutbound({ allow: ['127.0.0.1'] })
  t.after(() => outbound.close())
  const tasks = createTaskQueue(database)
  const core = { store, tasks, log, outbound, metrics: createMetrics(), now: () => new Date() }
  const settings = { ...Value.Create(knowledgeSettings), ...some }
  const services = createServices(core as unknown as CoreWith<readonly ['store']>, settings)
  const embeddings = testEmbeddings()
  const payers = new Set<string>()
  const paidBy = (payer: Payer): Embeddings => {
    payers.add(formatPayer(payer))
    return embeddings
  }
  const role = { paidBy }
  const db = store.reader<KnowledgeTables>()
  const work = () => {
    const stop = new AbortController()
    const handlers = knowledgeTasks(services, { embeddings: role } as never)
    const { done } = runTasks({ database, handlers, log, pollMs: 20, signal: stop.signal })
    const end = async (): Promise<void> => {
      stop.abort()
      await done
    }
    t.after(end)
    return end
  }
  const submit = (uid: string, submissions: readonly Submission[], of = 'a') =>
    store.transact((tx) =>
      queueIngests(tx, { ...settings, tasks }, { ...identityOf(uid, of), actor: 'tester' }, submissions),
    )
  const configure = (uid: string, more: Partial<BaseSettings> = {}, of = 'a') =>
    store.transact(async (tx) => {
      await ensureBase(tx, identityOf(uid, of))
      await lockBase(tx, uid)
      await writeSettings(tx, uid, { ...someSettings, ...more })
      await tasks.enqueue(tx, refreshTask, { namespace: `ns-${of}`, payload: { base: uid } })
    })
  const baseOf = async (uid: string) => (await findBases(db, [uid]))[0]
  const search = async (uid: string, query: string, limit?: number) =>
    searchBases(services, {
      bases: await findBases(db, [uid]),
      query,
      limit,
      embeddings,
      signal: AbortSignal.timeout(60_000),
    })
  const ingestOf = (id: string) =>
    db.selectFrom('knowledge_ingests').select(['state', 'error', 'bytes']).where('id', '=', id).executeTakeFirst()
  return {
    database,
    store,
    db,
    services,
    settings,
    embeddings,
    payers,
    work,
    submit,
    configure,
    baseOf,
    search,
    ingestOf,
  }
}

/** A text to submit. */
export function textOf(documentId: string, text: string, more: Partial<Submission> = {}): Submission {
  return { documentId, title: null, from: { content: Buffer.from(text), contentType: 'text/plain' }, ...more }
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('not within a minute')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
