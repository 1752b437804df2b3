import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { readRunContent } from '#plugins/runs/store/reads.ts'
import type { RunsTables, SelectedRun } from '#plugins/runs/contract/tables.ts'
import { createWorld, settled } from '#plugins/runs/testing/world.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { createDatasetServices, migrateForDatasets, serveDatasets } from '../testing/dataset-rig.ts'
import { createEndedRuns, queueTestExport, startExportWorker } from '../testing/export-world.ts'
import { createExportExecutor } from './executor.ts'
import { exportLines } from './export-lines.ts'
import type { ExportOutput } from './export-state.ts'
import { removeOldExports } from '../store/exports.ts'
import type { DatasetsTables } from '../contract/tables.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const request = { dataset: 'd', into: 'd', expected: 'output' } as const

async function start(t: TestContext, open: Parameters<typeof serveDatasets>[1]) {
  const rig = await serveDatasets(t, open)
  let worker: { stop(): Promise<void> } | undefined
  t.after(() => worker?.stop())
  const outcome = async (runId: string) => {
    // Started late: it would claim the runs that become cases.
    worker ??= startExportWorker(rig.world, createExportExecutor(rig.services))
    const run = await settled(rig.world, runId, isTerminal)
    const content = await readRunContent(rig.world.store.reader<RunsTables>(), run)
    return { state: run.state, error: content?.error, output: content?.output as ExportOutput }
  }
  return { ...rig, outcome }
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: runs are exported into a dataset, and a repeat adds nothing`, { skip }, async (t) => {
    const { database, world, send, outcome } = await start(t, open)
    const ids = await createEndedRuns(
      database,
      world,
      [1, 2, 3, 4].map((n) => ({ n, to: 'ada@example.com' })),
    )
    const redaction = { redact: ['email'] }
    const first = await outcome(await queueTestExport(world, { ...request, redaction, filter: { limit: 3 } }))
    assert.equal(first.state, 'succeeded', first.error ?? '')
    assert.deepEqual([first.output.cases, first.output.unchanged, first.output.file], [3, 0, null])
    const { items } = (await send('GET', '/d/cases')).json<{ items: { id: string; source: { runId: string } }[] }>()
    assert.deepEqual(
      items.map(({ id }) => id),
      ids.slice(1).toReversed(),
      'the newest runs',
    )
    assert.ok(!JSON.stringify(items).includes('ada@example.com'))
    const again = await outcome(await queueTestExport(world, { ...request, redaction, filter: { agent: 'robot' } }))
    assert.deepEqual([again.output.cases, again.output.unchanged], [1, 3], JSON.stringify(again.output))
    const none = await outcome(await queueTestExport(world, { ...request, filter: { agent: 'other' } }))
    assert.deepEqual([none.state, none.output.cases], ['succeeded', 0])
  })

  test(`${name}: a file is complete or absent, and cases may be added meanwhile`, { skip }, async (t) => {
    const { database, world, send, outcome } = await start(t, open)
    await createEndedRuns(database, world, ['a', 'b', 'c'])
    const runId = await queueTestExport(world, { ...request, into: null })
    await send('PUT', '/d', {})
    await send('PUT', '/d/cases/mine', { input: 'x' })
    assert.equal((await outcome(runId)).state, 'succeeded')
    const file = await send('GET', `/d/exports/${runId}`)
    const lines = file.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { input: unknown; expected: unknown })
    assert.deepEqual(
      lines.map(({ input }) => input),
      ['c', 'b', 'a'],
    )
    assert.deepEqual((await send('POST', '/d/cases/import', file.body, { type: 'application/x-ndjson' })).json(), {
      created: 3,
      updated: 0,
      unchanged: 0,
    })
    assert.equal((await send('GET', '/d')).json<{ cases: number }>().cases, 4)
    for (const path of ['/other/exports/', '/d/exports/0'])
      assert.equal((await send('GET', `${path}${runId}`)).status, 404, path)
    await sql`update datasets_exports set finished_at = null`.execute(database.root)
    assert.equal((await send('GET', `/d/exports/${runId}`)).status, 409)
    await sql`update datasets_exports set created_at = created_at - interval '8 days'`.execute(database.root)
    assert.equal(await world.store.transact((tx) => removeOldExports(tx, 7, 2)), 2)
    assert.equal(await world.store.transact((tx) => removeOldExports(tx, 7, 2)), 1)
    assert.equal((await send('GET', `/d/exports/${runId}`)).status, 404)
  })

  test(`${name}: scores and hidden contents select runs`, { skip }, async (t) => {
    const { database, world, outcome } = await start(t, open)
    const [low = '', high = ''] = await createEndedRuns(database, world, ['low', 'high'])
    for (const [id, value] of [
      [low, 1],
      [high, 5],
    ] as const) {
      await sql`insert into feedback_scores (id, namespace, namespace_uid, run_id, trace_id, name, value, source, created_by, created_at)
        values (gen_random_uuid(), 'default', 'ns-uid', ${id}::uuid, 't', 'stars', ${JSON.stringify(value)}::jsonb, 'person', 'ada', now())`.execute(
        database.root,
      )
      await sql`insert into runs_rated (run_id) values (${id}::uuid)`.execute(database.root)
    }
    const good = await outcome(
      await queueTestExport(world, { ...request, filter: { score: { name: 'stars', min: 4 } } }),
    )
    assert.deepEqual([good.output.cases, good.output.runs], [1, 1], good.error ?? '')
    await sql`update object_index set spec = '{"tracePolicy":{"capture":"metadata"}}' where uid = 'uid-1'`.execute(
      database.root,
    )
    const hidden = await outcome(await queueTestExport(world, { ...request, into: 'other' }))
    assert.deepEqual([hidden.output.cases, hidden.output.hidden], [0, 2])
  })
}

test(
  'a killed worker leaves nothing half-written, and another one completes the export',
  needs('postgres', 'initdb'),
  async (t) => {
    const url = await createDatabase(t)
    const database = await openDatabase({ url })
    t.after(() => database.close())
    await migrate(database, [storeMigrations])
    await migrateForDatasets(database)
    const world = createWorld(database)
    // 250 runs are three pages of the list.
    await createEndedRuns(
      database,
      world,
      Array.from({ length: 250 }, (_, n) => n),
    )
    const runId = await queueTestExport(world, { ...request, into: null })
    const script = fileURLToPath(import.meta.resolve('../testing/killed-worker.ts'))
    for (const [page, staged] of [
      [2, 100],
      [3, 250],
    ] as const) {
      const child = spawn(process.execPath, [script, url, String(page)], { stdio: 'inherit' })
      t.after(() => child.kill('SIGKILL'))
      const [, signal] = (await once(child, 'exit')) as unknown[]
      assert.equal(signal, 'SIGKILL')
      const { rows } = await sql<{ count: number }>`select count(*)::integer as count from datasets_staged`.execute(
        database.root,
      )
      assert.equal(rows[0]?.count, staged, `page ${page} was rolled back`)
      await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second' where state = 'ready'`.execute(
        database.root,
      )
    }
    const worker = startExportWorker(world, createExportExecutor(createDatasetServices(world)))
    t.after(() => worker.stop())
    assert.equal((await settled(world, runId, isTerminal)).state, 'succeeded')
    const lines: string[] = []
    for await (const text of exportLines(world.store.reader<DatasetsTables>(), runId))
      lines.push(...text.trimEnd().split('\n'))
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { input: number }).input),
      Array.from({ length: 250 }, (_, n) => 249 - n),
    )
  },
)
