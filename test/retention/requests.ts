import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { Database } from '#core/database/database.ts'
import type { Store } from '#core/event-store/store.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { claimTasks } from '#core/tasks/claim-tasks.ts'
import { settleTasks } from '#core/tasks/settle-tasks.ts'
import { createTaskRetention } from '#core/tasks/task-jobs.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import { queueIngests } from '#plugins/knowledge/ingest/queue-ingests.ts'
import { ingestTask } from '#plugins/knowledge/ingest/tasks.ts'
import { knowledgeJobs } from '#plugins/knowledge/jobs.ts'
import { endIngest } from '#plugins/knowledge/store/ingests.ts'

const DAY_MS = 86_400_000
const base = { uid: 'base', namespace: 'default', namespaceUid: 'ns-uid', name: 'handbook', actor: 'alice' }

/** Opens what requests leave behind them, and what removes it: answers of idempotent ones, ingests and tasks. */
export async function openRequests(
  t: TestContext,
  {
    database,
    store,
    retentionDays,
  }: { readonly database: Database; readonly store: Store; readonly retentionDays: number },
) {
  const tasks = createTaskQueue(database)
  const { app } = await buildServer(t, [{ endpoints: [act] }], { store })
  return {
    jobs: [
      createTaskRetention({ database }),
      ...knowledgeJobs(
        { core: { store }, settings: { ingestRetentionDays: retentionDays } } as never,
        { role: 'worker' } as never,
      ),
    ],
    /** Sends a request with an idempotency key, and lets an ingest fail with its task. */
    send: async (step: number): Promise<void> => {
      const headers = { authorization: 'Bearer good-token', 'idempotency-key': `key-${step}` }
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/api/acts', headers })
      assert.equal(statusCode, 201, body)
      const from = { content: Buffer.from('text'), contentType: 'text/plain' }
      const queue = { tasks, waitingBytesPerNamespace: 1_024 }
      const ingests = await store.transact((tx) =>
        queueIngests(tx, queue, base, [{ documentId: `document-${step}`, title: null, from }]),
      )
      const type = ingestTask.name
      const capacities = [{ type, free: 10, perNamespace: 10 }]
      const { claims } = await claimTasks(database.root, { holder: 'worker', leaseMs: 60_000, capacities, held: [] })
      assert.equal(claims.length, 1)
      const outcome = { outcome: 'dead', keepMs: retentionDays * DAY_MS, error: 'unreadable' } as const
      await settleTasks(
        database.root,
        claims.map(({ id, epoch }) => ({ id, epoch, ...outcome })),
      )
      await store.transact(async (tx) => {
        for (const { id } of ingests) await endIngest(tx, id, 'failed', 'unreadable')
      })
    },
  }
}

const act = endpoint({
  method: 'POST',
  url: '/acts',
  summary: 'Act.',
  authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'cluster' } },
  idempotent: true,
  response: { 201: Type.Object({}) },
  handle: async () => ({}),
})
