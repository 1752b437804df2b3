import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { deleteRuns } from '../retention/delete-runs.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import { serveRuns } from '../testing/served-runs.ts'
import { settled, startWorker, workerServices } from '../testing/world.ts'

const policy = { tracePolicy: { capture: 'full', redact: ['CUST-[0-9]{3}'] } }
const output = 'Good day, CUST-123.'
const script = frame(entryJson('run.succeeded', 1, resultJson('succeeded', `"output":"${output}"`)))

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: lists show previews after the trace policy; they stand in the content only`, { skip }, async (t) => {
    const database = await open(t)
    const { world, create, listed, index, ask } = await serveRuns(t, database)
    const launcher = await startForgedLauncher(t, (response) => response.end(script))
    const worker = startWorker(
      workerServices(world, () => launcher.url),
      'one',
    )
    t.after(() => worker.stop())
    const run = async (spec: object | null, before: object | null = spec) => {
      await index(before)
      const id = await create('I am CUST-456, my name is Zebedee.')
      const queued = (await listed(id))?.inputPreview
      await index(spec)
      await settled(world, id, ({ state }) => state === 'succeeded')
      const { inputPreview, outputPreview } = (await listed(id)) ?? {}
      assert.equal(inputPreview, queued, 'a preview of the input is made once')
      return { id, previews: [inputPreview, outputPreview] }
    }
    const { id, previews } = await run(policy)
    assert.deepEqual(previews, ['I am [redacted], my name is Zebedee.', 'Good day, [redacted].'])
    const ofAgent = await ask('GET', '/agents/default/robot/runs')
    assert.match(ofAgent.body, /"outputPreview":"Good day, \[redacted\]\."/)
    assert.doesNotMatch((await ask('GET', `/runs/${id}`)).body, /Preview/, 'the run itself has the content')
    assert.deepEqual((await run({})).previews, ['I am CUST-456, my name is Zebedee.', output])
    assert.deepEqual((await run(null)).previews, [null, null])
    assert.deepEqual((await run({ tracePolicy: { capture: 'none' } })).previews, [null, null])
    const stricter = await run({ tracePolicy: { capture: 'metadata' } }, {})
    assert.equal(stricter.previews[0], 'I am CUST-456, my name is Zebedee.')
    const events = await sql<{ all: string }>`select string_agg(e::text, ' ') as all from events e`.execute(
      database.root,
    )
    assert.doesNotMatch(events.rows[0]?.all ?? 'none', /Zebedee|Good day|CUST/)
    await world.store.transact((tx) => deleteRuns(tx, [id], { name: 'test', kind: 'system' }))
    const left = await sql<{ n: number }>`select count(*)::int as n from runs_content where run_id = ${id}`.execute(
      database.root,
    )
    assert.deepEqual([await listed(id), left.rows], [undefined, [{ n: 0 }]])
  })
