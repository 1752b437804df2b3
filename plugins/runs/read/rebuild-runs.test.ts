import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { runsProjection } from '../projections.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import { createWorld, queueRunOf, settled, startWorker, workerServices } from '../testing/world.ts'

const runs = 40

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: a rebuild while runs are created, executed and ended`, { skip, timeout: 480_000 }, async (t) => {
    const own = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
    const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, own])
    const world = createWorld(database)
    const launcher = await startForgedLauncher(t, (response) => response.end(script))
    const worker = startWorker(
      workerServices(world, () => launcher.url),
      'one',
    )
    t.after(() => worker.stop())
    const before = await triggersOf(database)
    const ended = new AbortController()
    const numbers = Array.from({ length: runs }, (_, n) => n)
    const execute = async (n: number): Promise<void> => {
      const { id } = await queueRunOf(world, { input: n, labels: { n: String(n) } })
      await settled(world, id, ({ state }) => state === 'succeeded')
    }
    const writing = mapConcurrently(numbers, execute, 4).finally(() => ended.abort())
    let rebuilds = 0
    for (; !ended.signal.aborted; rebuilds++) {
      await rebuild(database, runsProjection)
      // PGlite answers without I/O: one rebuild after the other would let no request of the launcher arrive.
      await pause(20)
    }
    await writing
    assert.ok(rebuilds > 1, `${rebuilds} rebuilds`)
    const found = await rowsOf(database)
    assert.equal(found.filter(({ state }) => state === 'succeeded').length, runs)
    // Reads the whole log, to which no writer appends any more.
    await rebuild(database, runsProjection)
    assert.deepEqual(found, await rowsOf(database))
    assert.deepEqual(await triggersOf(database), before)
    assert.ok(before.length > 0)
  })

const script =
  [
    entryJson('step.started', 1, '{}'),
    entryJson('step.finished', 2, '{}'),
    entryJson('run.succeeded', 3, resultJson('succeeded', '"output":"Hi"')),
  ]
    .map(frame)
    .join('') + 'event: stream.end\ndata: {}\n\n'

async function rowsOf({ root }: Database): Promise<readonly { readonly state: string }[]> {
  const { rows } = await sql<{ state: string }>`
    select r.*, (select jsonb_agg(to_jsonb(l) order by l.key) from runs_labels l where l.run_id = r.id) as labels
    from runs_runs r order by r.id`.execute(root)
  return rows
}

/** Triggers that serve processes of an older version. */
async function triggersOf({ root }: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_triggerdef(oid) as text from pg_trigger
    where tgrelid in ('runs_runs'::regclass, 'runs_labels'::regclass) and not tgisinternal order by 1`.execute(root)
  return rows.map(({ text }) => text)
}
