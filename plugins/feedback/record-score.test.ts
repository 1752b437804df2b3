import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { Fail } from '#core/errors/domain-error.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { deleteRuns } from '#plugins/runs/retention/delete-runs.ts'
import { toReference } from './record-score.ts'
import { openScores } from './testing/scores.ts'

const key = (text: string, request = 'r') => ({ key: Buffer.from(text), request: Buffer.from(request) })
const author = 'system:serviceaccount:default:robot'

test('feedback: a request names a run or a trace, not both', () => {
  const [runId, traceId] = [uuidV7(), '4bf92f3577b34da6a3ce929d0e0e4736']
  assert.deepEqual([toReference({ runId, value: 1 }), toReference({ traceId, value: 1 })], [{ runId }, { traceId }])
  for (const given of [{ value: 1 }, { runId, traceId, value: 1 }])
    assert.throws(
      () => toReference(given),
      (error: Fail) => error.code === 'invalid_body' && error.errors[0]?.pointer === '/runId',
    )
})

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a score has its value and comment; its event has neither`, { skip }, async (t) => {
    const { run, record, list, counts, database } = await openScores(t, open)
    const one = await run()
    const values = [4.5, -1e12, true, 'good ☺', 0]
    for (const value of values) await record(one, { request: { value, name: 'taste', comment: 'a secret' } })
    await record(one, { request: { value: 1 }, source: 'agent', author })
    const scores = await list()
    assert.deepEqual(
      scores.map(({ value, name: of, comment, source, created_by: by }) => [value, of, comment, source, by]),
      [
        [1, 'feedback', null, 'agent', author],
        ...values.toReversed().map((value) => [value, 'taste', 'a secret', 'person', 'alice']),
      ],
    )
    const { rows } = await sql<{ data: object; name: string; actor: string }>`
      select data, name, actor_name as actor from events where type = 'dev.mesh.feedback.score-recorded.v1' order by position`.execute(
      database.root,
    )
    assert.equal(rows.length, 6)
    assert.doesNotMatch(JSON.stringify(rows), /secret|good/)
    const data = { runId: one.id, traceId: one.trace_id, name: 'feedback', source: 'agent' }
    assert.deepEqual([rows.at(-1)?.name, rows.at(-1)?.data], [one.id, { scoreId: scores[0]?.id, ...data }])
    assert.deepEqual(counts.slice(-2), ['person recorded', 'agent recorded'])
  })

  test(`${name}: F10: run and namespace have a quota, also for concurrent scores`, { skip }, async (t) => {
    const { run, record, list, usage, counts } = await openScores(t, open, { scoresPerRun: 3, scoresPerNamespace: 5 })
    const [one, two] = [await run(), await run()]
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => record(one)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 5)
    for (const { reason } of refused as PromiseRejectedResult[]) {
      const { code, message } = reason as { code: string; message: string }
      assert.deepEqual([code, message], ['too_many_scores', 'The run has 3 scores.'])
    }
    await record(two)
    await record(two)
    await assert.rejects(record(two), { code: 'too_many_scores', message: 'Namespace default has 5 scores.' })
    assert.deepEqual([(await list()).length, await usage()], [5, 5], 'a refused score counts nothing')
    assert.equal(counts.filter((count) => count === 'person refused').length, 6)
  })

  test(
    `${name}: a repeat with the same key stores nothing; another request with it is refused`,
    { skip },
    async (t) => {
      const { run, record, list, usage, counts } = await openScores(t, open)
      const one = await run()
      const ids = await Promise.all([1, 2, 3].map(() => record(one, { idempotency: key('k') })))
      assert.equal(new Set(ids).size, 1)
      assert.deepEqual([(await list()).length, await usage()], [1, 1])
      assert.equal(counts.filter((count) => count === 'person repeated').length, 2)
      await assert.rejects(record(one, { idempotency: key('k', 'other') }), { code: 'idempotency_conflict' })
    },
  )

  test(`${name}: F10: scores are removed with their run, and none is stored after it`, { skip }, async (t) => {
    const { run, record, list, usage, deliver, counts, world } = await openScores(t, open)
    const [one, two] = [await run(), await run()]
    for (const each of [one, one, two]) await record(each)
    const actor = { name: 'test', kind: 'controller' } as const
    await world.store.transact((tx) => deleteRuns(tx, [one.id], actor))
    await assert.rejects(record(one), { code: 'not_found' })
    await deliver([one.id])
    await deliver([one.id])
    assert.deepEqual([(await list()).map(({ run_id: id }) => id), await usage()], [[two.id], 1])
    await deliver([two.id])
    assert.deepEqual([(await list()).length, await usage()], [0, undefined], 'an empty namespace has no row')
    assert.deepEqual(
      counts.filter((count) => count.startsWith('removed')),
      ['removed 2', 'removed 0', 'removed 1'],
    )
  })

  test(`${name}: SEC17: filters narrow a list; a re-created namespace has no former scores`, { skip }, async (t) => {
    const { run, record, list, database } = await openScores(t, open)
    const [one, two] = [await run(), await run()]
    const first = await record(one, { request: { value: 1, name: 'a' } })
    const second = await record(two, { request: { value: 2, name: 'b' } })
    const ids = async (...args: Parameters<typeof list>) => (await list(...args)).map(({ id }) => id)
    assert.deepEqual(await ids(), [second, first])
    assert.deepEqual(await ids({ runId: one.id }), [first])
    assert.deepEqual(await ids({ traceId: two.trace_id }), [second])
    assert.deepEqual([await ids({ name: 'a' }), await ids({ agent: 'robot', name: 'b' })], [[first], [second]])
    assert.deepEqual([await ids({ agent: 'other' }), await ids({ since: new Date(Date.now() + 60_000) })], [[], []])
    assert.deepEqual([await ids({}, 'other'), (await ids({}, '')).length], [[], 2])
    const page = await list({}, 'default', { limit: 1, after: undefined })
    assert.deepEqual(await ids({}, 'default', { limit: 1, after: [page[0]?.id] } as never), [first])
    await sql`update object_index set deleted_at = now()`.execute(database.root)
    assert.deepEqual([await ids(), await ids({}, '')], [[], []])
  })
}
