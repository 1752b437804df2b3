import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { adapters } from '#core/database/testing/databases.ts'
import type { RunFact } from '#plugins/runs/lifecycle/decide.ts'
import { openErasing } from './testing/erasing.ts'
import { openOwnData } from './testing/own-data.ts'

const actor = { name: 'worker', kind: 'system' } as const
const ended: readonly RunFact[] = [{ fact: 'started', epoch: 1, segment: 1 }, { fact: 'succeeded' }]
const HERS = 'private words of ada'
const HIS = 'private words of bob'

/** Tables with the content of a run: its own, spans, their contents, and the snapshot of a share. */
const withWords = ['runs_content', 'sharing_snapshots', 'traces_contents'] as const

for (const { name, skip, open } of adapters)
  test(
    `${name}: ADR 0272: recording, shares, spans and contents of a person's own runs are gone when the how-to says`,
    { skip },
    async (t) => {
      const rig = await openErasing(t, open)
      const own = await openOwnData(t, rig)
      const make = async (subject: string) => {
        const run = await rig.run(subject)
        const words = `private words of ${subject}`
        assert.equal((await own.trace(run, words)).accepted, 1)
        await own.record(run, words)
        for (const by of ['ada', 'otto']) await own.share(run, by, words)
        await rig.world.writer.change(run.id, { actor }, () => ({ facts: ended }))
        return run
      }
      const [hers, his] = [await make('ada'), await make('bob')]
      for (const words of [HERS, HIS])
        assert.deepEqual(
          (await own.tablesWith(words)).filter((table) => table !== 'runs_runs'),
          withWords,
          words,
        )
      assert.equal((await own.recordingOf(hers)).length, 2)

      const { id } = await rig.request('ada')
      await rig.work()
      // The rest follows from the event of the removed run.
      await own.deliver()
      assert.deepEqual(await own.tablesWith(HERS), [], 'within seconds')
      for (const table of ['traces_chunks', 'traces_contents', 'traces_totals', 'traces_summaries'])
        assert.deepEqual(await rig.names(table, 'trace_id'), [his.trace_id], table)
      assert.deepEqual([...new Set(await rig.names('sharing_shares', 'run_id'))], [his.id])
      await rig.eraseConversations()
      await rig.work()
      assert.equal((await rig.row(id)).state, 'finished')
      assert.deepEqual(await rig.names('sharing_shares', 'created_by'), ['otto'], 'those that she made of his run, too')
      assert.deepEqual(await rig.names('sharing_snapshots', 'head'), [JSON.stringify({ input: HIS })])

      // A part that was accepted before may still be on its way to the object store for a minute.
      await own.eraseRecordings()
      assert.equal((await own.recordingOf(hers)).length, 2)
      await sql`update recording_runs set erase_at = erase_at - interval '61 seconds', updated_at = updated_at - interval '61 seconds'`.execute(
        rig.database.root,
      )
      await own.eraseRecordings()
      assert.deepEqual(await own.recordingOf(hers), [], 'by the execution of each minute, within two minutes')
      assert.deepEqual(await rig.names('recording_runs', 'run_id'), [his.id])
      assert.equal((await own.recordingOf(his)).length, 2)
      await assert.rejects(own.record(hers, HERS), { code: 'not_found' })
      assert.deepEqual(await own.recordingOf(hers), [], 'a late part is refused')
      await own.trace(hers, HERS)
      assert.deepEqual(await own.tablesWith(HERS), [], 'a late span has no content')
      assert.deepEqual(await own.tablesWith(HIS), withWords)
    },
  )
