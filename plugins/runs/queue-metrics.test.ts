import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import type { RunFact } from './lifecycle/decide.ts'
import { observeStates } from './services/create-services.ts'
import { createRunWriter } from './lifecycle/run-writer.ts'
import { readQueue } from './store/queue.ts'
import { claimRuns } from './store/claims.ts'
import type { RunsTables } from './contract/tables.ts'
import { createWorld, queueRun } from './testing/world.ts'

for (const adapter of pluginAdapters) {
  test(
    `${adapter.name}: the metrics of the queue have waiting runs, the age of the oldest, and held runs`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t, [
        storeMigrations,
        { name: 'runs', migrations: new URL('./migrations/', import.meta.url) },
      ])
      const world = createWorld(database)
      const reader = world.store.reader<RunsTables>()
      assert.deepEqual(await readQueue(reader), { waiting: 0, oldestSeconds: 0, held: 0 })
      await queueRun(world, {})
      await queueRun(world, {})
      await sql`update runs_lease set wake_at = wake_at - interval '90 seconds'`.execute(database.root)
      const before = await readQueue(reader)
      assert.deepEqual([before.waiting, before.held], [2, 0])
      assert.ok(before.oldestSeconds >= 90 && before.oldestSeconds < 150, String(before.oldestSeconds))
      await world.store.transact((tx) =>
        claimRuns(tx.tables<RunsTables>(), { holder: 'w1', limit: 1, share: 1, held: new Map() }),
      )
      const during = await readQueue(reader)
      assert.deepEqual([during.waiting, during.held], [1, 1])
      await sql`update runs_lease set expires_at = now() - interval '1 second' where holder is not null`.execute(
        database.root,
      )
      assert.equal((await readQueue(reader)).waiting, 2, 'an expired lease holds nothing')
    },
  )
}

test('a run that fails causes one log line and one count with its reason, without content', async (t) => {
  const [adapter] = pluginAdapters
  assert.ok(adapter)
  const database = await adapter.open(t, [
    storeMigrations,
    { name: 'runs', migrations: new URL('./migrations/', import.meta.url) },
  ])
  const world = createWorld(database)
  const lines: string[] = []
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const metrics = createMetrics()
  const writer = createRunWriter(world.store, {
    live: world.live,
    now: world.core.now,
    entered: observeStates({ metrics, log }),
  })
  const actor = { name: 'worker', kind: 'system' } as const
  const end = async (...facts: readonly RunFact[]): Promise<string> => {
    const { id } = await queueRun(world, {})
    await writer.change(id, { actor }, () => ({ facts, content: { failed: { message: 'sk-canary' } } }))
    return id
  }
  const id = await end({ fact: 'started', epoch: 1, segment: 1 }, { fact: 'failed', failReason: 'model_error' })
  await end({ fact: 'succeeded' })
  await end({ fact: 'rejected', failReason: 'approval_denied' })
  assert.equal(lines.length, 1)
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  assert.deepEqual([line['runId'], line['agent'], line['reason']], [id, 'default/robot', 'model_error'])
  assert.doesNotMatch(lines.join(''), /sk-canary/)
  const text = await metrics.render()
  for (const labels of [
    'state="failed",reason="model_error"',
    'state="succeeded",reason="none"',
    'state="rejected",reason="approval_denied"',
  ])
    assert.match(text, new RegExp(`mesh_runs_finished_total\\{[^}]*${labels}[^}]*\\} 1\\n`))
})
