import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { OnlineScoreView } from '#schemas/api/online-scores.ts'
import type { OnlineSpec } from '../contract/tables.ts'
import { cappedJudge, judged, polite } from '../testing/judges.ts'
import { openOnline } from '../testing/online-rig.ts'
import { isSampled } from './sample-runs.ts'

const all: OnlineSpec = { sampleRate: 1, evaluators: [polite] }

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: online: runs are selected once, and two workers at once stay below the limit per day`,
    { skip },
    async (t) => {
      const { target, endedRuns, deliver, rows, database } = await openOnline(t, open, {
        settings: { onlineRunsPerDay: 7 },
      })
      const ids = await endedRuns(20, 'Yes, please.')
      await deliver(ids)
      assert.deepEqual(await rows(), [], 'no suite scores runs of the agent')
      await target(all)
      const parts = [ids.slice(0, 5), ids.slice(5, 10), ids.slice(10, 15), ids.slice(15)]
      await Promise.all(parts.map(deliver))
      await Promise.all(parts.map(deliver))
      const found = await rows()
      const countOf = (state: string) => found.filter((one) => one.state === state).length
      assert.deepEqual([found.length, countOf('waiting'), countOf('skipped')], [20, 7, 13])
      assert.deepEqual(new Set(found.map(({ reason }) => reason)), new Set([null, 'DailyLimit']))
      const { rows: tasks } = await sql<{ n: number }>`select count(*)::int as n from tasks`.execute(database.root)
      assert.equal(tasks[0]?.n, 7)
      await sql`update evals_online_targets set day = day - 1`.execute(database.root)
      await deliver(await endedRuns(3, 'Yes'))
      assert.equal(
        (await rows()).filter(({ state }) => state === 'waiting').length,
        10,
        'the next day has its own limit',
      )
    },
  )

  test(`${name}: online: a sample has its rate, and has no case of an evaluation`, { skip }, async (t) => {
    const { target, endedRuns, deliver, rows } = await openOnline(t, open)
    await target(all)
    await deliver(await endedRuns(3, 'x', 'eval'))
    assert.deepEqual(await rows(), [])
    const among = Array.from({ length: 20_000 }, (_, n) => ({ id: `run-${n}` }))
    for (const sampleRate of [0, 0.1, 0.5, 1]) {
      const spec = { spec: { ...all, sampleRate }, suite_uid: 'a' }
      const share = among.filter((run) => isSampled(run, spec)).length / among.length
      assert.ok(Math.abs(share - sampleRate) < 0.015, `${sampleRate}: ${share}`)
    }
  })

  test(
    `${name}: online: scores, feedback and cost are served, and a repeated task scores nothing twice`,
    { skip },
    async (t) => {
      const { asked, models } = cappedJudge(2, { score: 0.5, reason: 'so so' })
      const rig = await openOnline(t, open, { models })
      const maxCostPerDay = { amount: '0.005', currency: 'EUR' }
      await rig.target({ ...all, evaluators: [polite, judged], judge: 'mock', maxCostPerDay })
      const ids = await rig.endedRuns(4, 'Yes, please. Mail ada@example.com.')
      await rig.deliver(ids)
      for (const id of [...ids, ...ids]) await rig.score(id)
      assert.deepEqual(
        asked.map(({ route, cap, temperature }) => [route, cap, temperature]),
        asked.map(() => ['default/mock', { id: 'suite-uid', window: 'day', ...maxCostPerDay }, 0]),
      )
      assert.equal(asked.length, 4, 'a scored or skipped run is not judged again')
      await sql`insert into feedback_scores (id, namespace, namespace_uid, run_id, trace_id, agent_name, name, value, source, created_by, created_at, of_evaluation)
      select gen_random_uuid(), 'default', 'ns-uid', gen_random_uuid(), 't', 'robot', name, value::jsonb, 'person', 'bob', now(), eval
      from (values ('feedback', 'true', false), ('feedback', 'false', false), ('feedback', '0.25', false), ('feedback', '4', false),
        ('feedback', '"good"', false), ('stars', '1', false), ('feedback', 'true', true)) as given (name, value, eval)`.execute(
        rig.database.root,
      )
      const { get, upstream } = await rig.serve()
      const response = await get()
      assert.equal(response.statusCode, 200, response.body)
      const { items, sampled, skipped, skippedFor, cost, suite } = response.json<OnlineScoreView>()
      assert.deepEqual(
        items.map(({ evaluator, score, count, buckets }) => [evaluator, score, count, buckets.length]),
        [
          ['judged', 0.5, 2, 1],
          ['polite', 1, 2, 1],
          ['feedback', 1.25 / 3, 3, 1],
        ],
      )
      assert.deepEqual([sampled, skipped, suite], [4, 2, 'smoke'])
      assert.deepEqual(skippedFor, [{ reason: 'CostCapReached', count: 2 }])
      assert.deepEqual(cost, { amount: '0.004', currency: 'EUR' })
      assert.ok(
        upstream.some((one) => one.includes('get evalresults')),
        upstream.join(),
      )
      const events = await sql<{
        data: { scores: object[] }
      }>`select data from events where type like '%run-scored%'`.execute(rig.database.root)
      assert.equal(events.rows.length, 2)
      const past = (await get('?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z')).json<OnlineScoreView>()
      assert.deepEqual([past.items, past.sampled, past.cost], [[], 0, null])
    },
  )

  test(
    `${name}: online: what is hidden, removed or cannot be scored is skipped with its reason`,
    { skip },
    async (t) => {
      const rig = await openOnline(t, open)
      const { database, endedRuns, deliver, score, rows } = rig
      const schema = { type: 'object', required: ['tone'] }
      await rig.target({
        sampleRate: 1,
        evaluators: [
          { name: 'gone', type: 'acme.example/tone' },
          { name: 'shape', type: 'jsonSchema', config: { schema } },
        ],
      })
      const [failing = '', hidden = '', removed = ''] = await endedRuns(3, 'x')
      await deliver([failing, hidden, removed])
      await score(failing)
      await sql`update object_index set spec = '{"tracePolicy":{"capture":"none"}}' where uid = 'uid-1'`.execute(
        database.root,
      )
      await score(hidden)
      await sql`update runs_runs set state = 'failed' where id = ${removed}`.execute(database.root)
      await score(removed)
      const reasons = new Map((await rows()).map(({ run_id: id, reason }) => [id, reason]))
      assert.deepEqual(
        [failing, hidden, removed].map((id) => reasons.get(id)),
        ['EvaluatorFailed', 'ContentHidden', 'RunRemoved'],
      )
    },
  )

  test(`${name}: online: bad queries are refused with the field, and strangers are not served`, { skip }, async (t) => {
    const rig = await openOnline(t, open)
    const { get } = await rig.serve()
    assert.equal((await get('', { token: '' })).statusCode, 401)
    assert.equal((await get('', { agent: 'other' })).statusCode, 404)
    for (const query of [
      '?from=x',
      '?from=%00',
      '?to=9e99',
      '?from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
      '?from=0001-01-01T00:00:00Z',
      '?x=1',
      '?from=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z',
    ])
      assert.equal((await get(query)).statusCode, 400, query)
  })
}
