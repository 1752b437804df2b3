import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { readRunContent } from '#plugins/runs/store/reads.ts'
import { settled } from '#plugins/runs/testing/world.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { createExportExecutor } from './export/executor.ts'
import { serveDatasets } from './testing/dataset-rig.ts'
import { createEndedRuns, queueTestExport, startExportWorker } from './testing/export-world.ts'

const ndjson = { type: 'application/x-ndjson' }

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: SEC: more than 100,000 cases are refused whole, and others get turns meanwhile`,
    { skip },
    async (t) => {
      const { send, database } = await serveDatasets(t, open)
      await send('PUT', '/d', {})
      const importing = send('POST', '/d/cases/import', '{"input":1}\n'.repeat(100_001), ndjson)
      const over = importing.then(() => 'over')
      let turns = 0
      while ((await Promise.race([over, turn('turn')])) === 'turn') turns++
      const refused = await importing
      assert.equal(refused.status, 429, refused.body)
      assert.match(refused.body, /more than 100000 cases \(setting datasets\.casesPerDataset\)/)
      assert.ok(turns > 20, `${turns} turns of the event loop`)
      assert.equal((await send('GET', '/d')).json<{ cases: number }>().cases, 0)
      assert.deepEqual((await send('GET', '/d/cases')).json<{ items: unknown[] }>().items, [])

      await send('PUT', '/d/cases/first', { input: 0 })
      const full = await send('POST', '/d/cases/import', '{"input":1}\n'.repeat(100_000), ndjson)
      assert.equal(full.status, 429, full.body)
      assert.match(full.body, /would have more than 100000 cases/)
      await send('PUT', '/d/cases/second', { input: 0 })
      const { rows } = await sql<{ rev: bigint }>`select rev from datasets_cases order by rev`.execute(database.root)
      const [first, second] = rows.map(({ rev }) => Number(rev))
      assert.equal(second, first! + 1, 'no case was written and taken back')
    },
  )

  test(`${name}: an export into a dataset keeps what is added meanwhile`, { skip }, async (t) => {
    const { database, world, services, send } = await serveDatasets(t, open)
    const ids = await createEndedRuns(
      database,
      world,
      Array.from({ length: 12 }, (_, n) => n),
    )
    await send('PUT', '/d', {})
    const runId = await queueTestExport(world, { dataset: 'd', into: 'd', expected: 'output' })
    const worker = startExportWorker(world, createExportExecutor(services))
    t.after(() => worker.stop())
    // A person saves one of the runs with other words, and adds cases, while the export writes.
    const mine = ids[0] ?? ''
    const added = await Promise.all([
      send('PUT', `/d/cases/${mine}`, { input: 'mine' }),
      ...Array.from({ length: 20 }, (_, n) => send('PUT', `/d/cases/added-${n}`, { input: n })),
    ])
    assert.deepEqual([...new Set(added.map(({ status }) => (status < 300 ? 'stored' : status)))], ['stored'])
    const run = await settled(world, runId, ({ state }) => terminalStates.has(state))
    const content = await readRunContent(world.store.reader<RunsTables>(), run)
    assert.equal(run.state, 'succeeded', content?.error ?? '')
    assert.equal((await send('GET', '/d')).json<{ cases: number }>().cases, 32)
    const { items } = (await send('GET', '/d/cases?limit=100')).json<{ items: { id: string; input: unknown }[] }>()
    assert.equal(items.length, 32, 'the count is that of the cases')
    assert.equal(items.find(({ id }) => id === mine)?.input, 'mine', 'a known id stays as it is')
    const pins = await Promise.all([send('POST', '/d/pin', {}), send('POST', '/d/pin', {}), send('POST', '/d/pin', {})])
    assert.deepEqual(pins.map(({ status }) => status).toSorted(), [200, 200, 201])
    assert.deepEqual([...new Set(pins.map((one) => one.json<{ cases: number }>().cases))], [32])
  })
}
