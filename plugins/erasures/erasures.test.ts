import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { meteredEvent } from '#plugins/cost/testing/cost-store.ts'
import { costProjection } from '#plugins/cost/projections/cost-days.ts'
import { ERASED_SUBJECT } from '#plugins/cost/projections/erase-person.ts'
import { toStoredName } from '#plugins/memory/session/bound-conversation.ts'
import { rememberItem } from '#plugins/memory/store/remember-item.ts'
import type { RunFact } from '#plugins/runs/lifecycle/decide.ts'
import { findRun } from '#plugins/runs/store/internal/find-run.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { openErasing } from './testing/erasing.ts'

const actor = { name: 'worker', kind: 'system' } as const
const started: RunFact = { fact: 'started', epoch: 1, segment: 1 }
const paused: RunFact = {
  fact: 'paused',
  pauseReason: 'input_required',
  interrupts: [{ id: 'q', reason: 'input_required' }],
}
const ended: readonly RunFact[] = [started, { fact: 'succeeded' }]
const REQUESTED = 'dev.mesh.erasures.requested.v1'
const FINISHED = 'dev.mesh.erasures.finished.v1'

for (const { name, skip, open } of pluginAdapters) {
  const start = async (t: Parameters<typeof openErasing>[0]) => {
    const rig = await openErasing(t, open)
    const { world, store } = rig
    const owner = (subject: string | undefined) => ({ namespace: 'a', name: 'robot', uid: 'robot-a', subject })
    const sessionOwner = { namespace: 'a', uid: 'robot-a', session: {} }
    return {
      ...rig,
      change: (id: string, facts: readonly RunFact[]) => world.writer.change(id, { actor }, () => ({ facts })),
      stateOf: async (id: string) => (await findRun(store.reader<RunsTables>(), id))?.state,
      remember: (subject: string | undefined, text: string, runId?: string) => {
        const item = { text, metadata: {}, ttlMs: undefined, runId, vector: undefined }
        return rememberItem(store, owner(subject), item, rig.settings)
      },
      say: (conversation: string) => rig.session.append(sessionOwner, conversation, '{"private":"words"}'),
      conversations: async () => (await rig.session.newest(sessionOwner, 100)).map(({ list }) => list).toSorted(),
      score: (runId: string, by: string, namespace = 'a') =>
        sql`insert into feedback_scores (id, namespace, namespace_uid, run_id, trace_id, name, value, comment, source, created_by, created_at)
          values (${uuidV7()}, ${namespace}, ${`uid-${namespace}`}, ${runId}, 't', 'helpful', '1', 'private words', 'person', ${by}, now())`.execute(
          rig.database.root,
        ),
      share: (runId: string, by: string) =>
        sql`insert into sharing_shares (id, token_hash, namespace, namespace_uid, run_id, created_by, created_at, expires_at, content, bytes)
          values (${uuidV7()}, ${Buffer.from(uuidV7())}, 'a', 'uid-a', ${runId}, ${by}, now(), now() + interval '1 day', 'full', 0)`.execute(
          rig.database.root,
        ),
    }
  }

  test(
    `${name}: ADR 0272: an erasure stops the runs of a person, and erases every trace of them`,
    { skip },
    async (t) => {
      const rig = await start(t)
      const done = await rig.run('ada')
      await rig.change(done.id, ended)
      const waiting = await rig.run('ada', 'b')
      await rig.change(waiting.id, [started, paused])
      const queued = await rig.run('ada')
      const other = await rig.run('bob', 'a', 'his talk')
      await rig.change(other.id, ended)
      await rig.remember('ada', 'private words')
      await rig.remember(undefined, 'words from her run', done.id)
      await rig.remember('bob', 'his words', other.id)
      await rig.score(other.id, 'ada')
      await rig.score(other.id, 'bob')
      await rig.share(other.id, 'ada')
      await rig.share(other.id, 'bob')
      for (const subject of ['ada', 'bob']) await rig.say(toStoredName({ id: 'talk', subject }))
      for (const conversation of ['talk', 'his talk']) await rig.say(conversation)
      const call = (by: string) => ({ ...meteredEvent({}), actor: { name: by, kind: 'user' as const } })
      for (const by of ['ada', 'ada', 'bob'])
        await rig.store.transact((tx) => tx.append(`test/${uuidV7()}`, 0, [call(by)]))

      const erasure = await rig.request('ada')
      assert.deepEqual([erasure.state, erasure.subject, erasure.namespace], ['queued', 'ada', null])
      const again = await Promise.all([rig.request('ada'), rig.request('ada', undefined, 'otto')])
      assert.deepEqual(
        again.map(({ id, requested_by: by }) => [id, by]),
        [
          [erasure.id, 'olga'],
          [erasure.id, 'olga'],
        ],
        'a repeat is the same erasure',
      )
      assert.equal((await rig.events(REQUESTED)).length, 1)

      await rig.work()
      assert.deepEqual(await Promise.all([done, waiting, queued].map(({ id }) => rig.stateOf(id))), [
        undefined,
        'cancelling',
        'cancelling',
      ])
      assert.equal((await rig.row(erasure.id)).state, 'running', 'it waits for the runs')
      for (const { id } of [waiting, queued]) await rig.change(id, [{ fact: 'cancelled' }])
      await rig.work()
      assert.equal((await rig.row(erasure.id)).state, 'running', 'it waits for the state role')
      await rig.deliver([done.id, waiting.id, queued.id])
      await rig.eraseConversations()
      await rig.work()

      const row = await rig.row(erasure.id)
      assert.deepEqual([row.state, row.subject, row.finished_at !== null], ['finished', null, true])
      assert.deepEqual(row.erased, { runs: 3, memory: 1, feedback: 1, shares: 1, cost: 1 })
      for (const table of ['runs_content', 'runs_journal', 'runs_lease', 'runs_labels'])
        assert.deepEqual(
          [...new Set(await rig.names(table, 'run_id'))].filter((id) => id !== other.id),
          [],
          table,
        )
      assert.deepEqual(await rig.names('runs_conversations', 'subject'), ['bob'])
      assert.deepEqual(await rig.names('memory_items', 'text'), ['his words'], 'also what no name stands with')
      assert.deepEqual(await rig.names('memory_usage', 'items'), ['1', '1'])
      assert.deepEqual(await rig.names('feedback_scores', 'created_by'), ['bob'])
      assert.deepEqual(await rig.names('sharing_shares', 'created_by'), ['bob'])
      assert.deepEqual(await rig.conversations(), ['his talk', toStoredName({ id: 'talk', subject: 'bob' })])
      const cost = async () => [await rig.names('cost_persons', 'subject'), await rig.names('cost_persons', 'calls')]
      assert.deepEqual(await cost(), [
        ['bob', ERASED_SUBJECT],
        ['1', '2'],
      ])
      await rebuild(rig.database, costProjection)
      assert.deepEqual(
        await cost(),
        [
          ['bob', ERASED_SUBJECT],
          ['1', '2'],
        ],
        'a rebuild brings no name back',
      )

      const [finished] = await rig.events(FINISHED)
      assert.deepEqual(finished?.data, {
        erasureId: erasure.id,
        count: 7,
        erased: ['cost', 'feedback', 'memory', 'runs', 'shares'].map((of) => ({ of, count: of === 'runs' ? 3 : 1 })),
      })
      const { rows } = await sql`select 1 from events where data::text like '%private%'`.execute(rig.database.root)
      assert.deepEqual(rows, [], 'no event has content')
      assert.notEqual((await rig.request('ada')).id, erasure.id, 'a finished one may be repeated')
    },
  )

  test(`${name}: ADR 0272: another worker continues an erasure, and nothing is counted twice`, { skip }, async (t) => {
    const rig = await start(t)
    const runs = await Promise.all(Array.from({ length: 7 }, () => rig.run('ada')))
    for (const { id } of runs) await rig.change(id, ended)
    const { id } = await rig.request('ada')
    const killed = new AbortController()
    const counted = (of: string, count: number): void => {
      rig.counts.push(`${of} ${count}`)
      if (rig.counts.length === 2) killed.abort()
    }
    await rig.work({ batch: 2, counted }, killed.signal)
    const between = await rig.row(id)
    assert.deepEqual([between.state, between.erased], ['running', { runs: 4 }])
    assert.equal((await rig.names('runs_runs', 'id')).length, 3)
    await rig.work({ batch: 2 })
    await rig.eraseConversations()
    await rig.work({ batch: 2 })
    const row = await rig.row(id)
    assert.deepEqual([row.state, row.erased], ['finished', { runs: 7 }])
    assert.equal((await rig.events('dev.mesh.runs.deleted.v1')).length, 7)
    assert.equal((await rig.events(FINISHED)).length, 1)
  })

  test(`${name}: ADR 0272: an erasure of a namespace leaves the others alone`, { skip }, async (t) => {
    const rig = await start(t)
    const [here, there] = [await rig.run('ada'), await rig.run('ada', 'b')]
    for (const run of [here, there]) await rig.change(run.id, ended)
    await rig.score(there.id, 'ada', 'b')
    const { id } = await rig.request('ada', 'a')
    const [elsewhere, everywhere] = [await rig.request('ada', 'b'), await rig.request('ada')]
    assert.equal(new Set([id, elsewhere.id, everywhere.id]).size, 3)
    await sql`delete from erasures_requests where id <> ${id}`.execute(rig.database.root)
    await rig.work()
    await rig.eraseConversations()
    await rig.work()
    assert.deepEqual((await rig.row(id)).erased, { runs: 1 })
    assert.deepEqual([await rig.stateOf(here.id), await rig.stateOf(there.id)], [undefined, 'succeeded'])
    assert.deepEqual(await rig.names('feedback_scores', 'created_by'), ['ada'])
    await assert.rejects(rig.request('ada', 'nowhere'), { code: 'not_found' })
  })

  test(
    `${name}: ADR 0272: a run whose agent does not stop is removed after five minutes, a later one stays`,
    { skip },
    async (t) => {
      const rig = await start(t)
      const stuck = await rig.run('ada')
      await rig.change(stuck.id, [started])
      const { id } = await rig.request('ada')
      await rig.work()
      await rig.work()
      assert.equal(await rig.stateOf(stuck.id), 'cancelling')
      await sql`update erasures_requests set created_at = created_at - interval '6 minutes'`.execute(rig.database.root)
      await sql`update runs_runs set created_at = created_at - interval '6 minutes'`.execute(rig.database.root)
      const later = await rig.run('ada')
      await rig.work()
      await rig.eraseConversations()
      await rig.work()
      assert.deepEqual([await rig.stateOf(stuck.id), await rig.stateOf(later.id)], [undefined, 'queued'])
      assert.deepEqual((await rig.row(id)).state, 'finished')
    },
  )

  test(`${name}: ADR 0272: an eraser that fails delays its erasure only`, { skip }, async (t) => {
    const rig = await start(t)
    const [first, second] = [await rig.request('ada'), await rig.request('bob')]
    const failing = {
      name: 'failing',
      erase: async (_: unknown, { subject }: { readonly subject: string }) => {
        if (subject === 'ada') throw new Error('broken')
        return { erased: 0, next: 'done' as const }
      },
    }
    await assert.rejects(rig.work({ erasers: () => [failing] }), /broken/)
    assert.deepEqual([(await rig.row(first.id)).state, (await rig.row(second.id)).state], ['running', 'finished'])
    await rig.work({ erasers: () => [] })
    assert.equal((await rig.row(first.id)).state, 'finished')
  })
}
