import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { Database } from '#core/database/database.ts'
import { createDatasetsSystem } from '../datasets-system.ts'
import { datasetsConsumers } from '../consumers.ts'
import { serveDatasets } from '../testing/dataset-rig.ts'
import { removeOldSnapshots } from './prune-snapshots.ts'

interface Sums {
  readonly cases: number
  readonly labels: number
  readonly bytes: number
  readonly usage: number
}

/** What the counters of the dataset `d` and of its namespace say, and what its rows are. */
async function sumsOf({ root }: Database): Promise<{ readonly counted: Sums; readonly stored: Sums }> {
  const { rows } = await sql<{ counted: Sums; stored: Sums }>`
    select json_build_object('cases', d.cases, 'labels', d.labels, 'bytes', u.bytes, 'usage', u.datasets) as counted,
      json_build_object('cases', (select count(*) from datasets_cases c where c.dataset_id = d.id and end_mark is null and not archived),
        'labels', (select count(*) from datasets_labels l where l.dataset_id = d.id and supersedes is null),
        'bytes', (select coalesce(sum(bytes), 0) from datasets_cases c where c.dataset_id = d.id), 'usage', 1) as stored
    from datasets_datasets d join datasets_usage u using (namespace_uid) where d.name = 'd'`.execute(root)
  return rows[0] ?? assert.fail('there is no dataset d')
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: cases from runs of an erased person leave datasets, pins, labels and exports`, { skip }, async (t) => {
    const { send, run, database, world } = await serveDatasets(t, open)
    const [erased, kept] = [await run({ input: 'My name is Ada.' }), await run({ input: 'Hi' })]
    const fromRun = async (runId: string) => {
      const made = await send('POST', '/d/cases/from-run', { runId })
      assert.equal(made.status, 201, made.body)
      return made.json<{ id: string }>().id
    }
    const [ofErased, ofKept] = [await fromRun(erased.id), await fromRun(kept.id)]
    for (const id of [ofErased, ofKept])
      assert.equal(
        (await send('POST', `/d/cases/${id}/labels`, { name: 'correct', dataType: 'boolean', value: true })).status,
        201,
      )
    await send('PUT', '/d/cases/own', { input: 'Hello' })
    assert.equal((await send('POST', '/d/pin', {})).status, 201)
    // An edit keeps the run, and the former content is in the pin.
    const edited = await send('PUT', `/d/cases/${ofErased}`, { input: 'I am Ada.', expected: 'Hello Ada' })
    assert.deepEqual(
      edited.json<{ source: object }>().source,
      { runId: erased.id, traceId: erased.trace_id },
      edited.body,
    )
    await sql`insert into datasets_exports (run_id, namespace, namespace_uid, dataset, sealed_access, created_by, created_at)
      values (${kept.id}, 'default', 'ns-uid', 'd', '', 'bob', now())`.execute(database.root)
    await sql`insert into datasets_staged (run_id, n, id, digest, input_digest, input, metadata, tags, source_run_id, bytes)
      values (${kept.id}, 1, 'x', '', '', '"Ada"', '{}', '{}', ${erased.id}, 5), (${kept.id}, 2, 'y', '', '', '"Hi"', '{}', '{}', ${kept.id}, 4)`.execute(
      database.root,
    )
    const [consumer = assert.fail('no consumer')] = datasetsConsumers()
    const deliver = (runId: string, more: object) =>
      world.store.transact((tx) => consumer.handle([{ data: { runId, ...more } }] as never, tx))
    await deliver(kept.id, {})
    const gone = { erased: { agentUid: 'uid-1', conversationId: erased.conversation_id } }
    await deliver(erased.id, gone)
    await deliver(erased.id, gone)
    const listed = async (query: string) =>
      (await send('GET', `/d/cases${query}`)).json<{ items: { id: string }[] }>().items.map(({ id }) => id)
    assert.deepEqual(new Set(await listed('')), new Set([ofKept, 'own']))
    assert.deepEqual(new Set(await listed('?version=1')), new Set([ofKept, 'own']))
    const { items: pins } = (await send('GET', '/d/pins')).json<{ items: { version: number; cases: number }[] }>()
    assert.deepEqual(
      pins.map(({ version, cases }) => [version, cases]),
      [[1, 2]],
    )
    const { counted, stored } = await sumsOf(database)
    assert.deepEqual(counted, stored)
    assert.deepEqual([stored.cases, stored.labels], [2, 1])
    const everywhere = await sql<{ n: number }>`select (select count(*) from datasets_cases where input like '%Ada%')
      + (select count(*) from datasets_staged where input like '%Ada%') as n`.execute(database.root)
    assert.equal(Number(everywhere.rows[0]?.n), 0)
    assert.equal(
      (await send('POST', '/d/pin', {})).json<{ version: number }>().version,
      2,
      'what is left has a pin of its own',
    )
  })

  test(
    `${name}: snapshots that no evaluation takes are removed with their contents, and free their place`,
    { skip },
    async (t) => {
      const { send, database, world, services } = await serveDatasets(t, open, { pinsPerDataset: 2 })
      const system = createDatasetsSystem(services)
      const take = () => system.takeSnapshot({ namespace: 'default', name: 'd' }, 'default')
      const remove = () => world.store.transact((tx) => removeOldSnapshots(tx, 30, 10))
      await send('PUT', '/d', {})
      await send('PUT', '/d/cases/a', { input: 'one' })
      await send('PUT', '/d/cases/b', { input: 'same' })
      const first = await take()
      await send('PUT', '/d/cases/a', { input: 'two' })
      const second = await take()
      assert.ok(first.found && second.found)
      await send('PUT', '/d/cases/a', { input: 'three' })
      await assert.rejects(take(), /pins and snapshots/)
      assert.equal(await remove(), 0, 'both are new')
      await sql`update datasets_pins set created_at = now() - interval '31 days'`.execute(database.root)
      await send('PUT', '/d/cases/a', { input: 'two' })
      assert.deepEqual(await take(), second, 'it is taken again, so it is kept')
      assert.equal(await remove(), 1)
      const read = async (digest: string) =>
        (await system.readCases({ ...second, digest }, {})).cases.map(({ input }) => input)
      assert.deepEqual(await read(second.digest), ['two', 'same'])
      await assert.rejects(read(first.digest), /was deleted/)
      const { counted, stored } = await sumsOf(database)
      assert.deepEqual(counted, stored)
      const { rows } = await sql<{ input: string }>`select input from datasets_cases order by input`.execute(
        database.root,
      )
      assert.deepEqual(
        rows.map(({ input }) => input),
        ['"same"', '"two"', '"two"'],
      )
      await send('PUT', '/d/cases/a', { input: 'three' })
      assert.ok((await take()).found, 'there is a place again')
      await sql`update datasets_pins set created_at = now() - interval '31 days'`.execute(database.root)
      await send('POST', '/d/pin', {})
      assert.equal(await remove(), 1, 'a pin is not removed')
      assert.deepEqual((await sumsOf(database)).counted, (await sumsOf(database)).stored)
    },
  )
}
