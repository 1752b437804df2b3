import assert from 'node:assert/strict'
import test from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { RoleModels } from '#core/role-models/role-models.ts'
import { isOfItself } from '#plugins/runs/create/permission.ts'
import type { RunExecutor } from '#plugins/runs/contract/points.ts'
import { openEvaluations } from '../testing/evaluation-rig.ts'
import { cappedJudge, judged, polite } from '../testing/judges.ts'
import { createRecordedResponse } from './recorded-response.ts'

const inputs = (count: number) => Array.from({ length: count }, (_, n) => `please ${n}`)

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: an evaluation that another worker continues counts each case once`, { skip }, async (t) => {
    const { start, step, finish, rows, children, executor } = await openEvaluations(t, open)
    const id = await start(inputs(120), { evaluators: [polite], concurrency: 4 })
    for (let n = 0; n < 20; n++) await step(id)
    // Two workers at once: one has lost its lease and does not know it yet.
    await Promise.all([step(id), step(id)])
    const ended = await finish(id)
    assert.deepEqual([ended?.phase, ended?.score], ['Passed', 1])
    const found = await rows(id)
    assert.deepEqual([found.length, new Set(found.map(({ run_id: run }) => run)).size], [120, 120])
    assert.ok(found.every(({ score, error }) => score === 1 && error === null))
    assert.ok(children.size >= 120)
    assert.deepEqual(await executor.execute({ id: uuidV7() } as never, {} as never), {
      state: 'succeeded',
      output: null,
    })
  })

  test(`${name}: a case whose run was lost runs once more, but not with live tools`, { skip }, async (t) => {
    const lost = { state: 'failed', failReason: 'lost_worker', cost: { currency: 'USD', micros: 5n } } as const
    const runs = new Map<unknown, number>()
    const { start, finish, rows, children } = await openEvaluations(t, open, {
      runOf: (input) => {
        const count = (runs.get(input) ?? 0) + 1
        runs.set(input, count)
        return input === 'please 2' || (input === 'please 1' && count === 1) ? lost : {}
      },
    })
    const id = await start(inputs(3), { evaluators: [polite], concurrency: 2 })
    const ended = await finish(id)
    assert.deepEqual([ended?.phase, ended?.reason, ended?.run_micros], ['Inconclusive', 'TooFewScored', 15n])
    assert.deepEqual([...runs.values()], [1, 2, 2])
    const message = 'The run ended as failed: lost_worker.'
    const outcomes = async (of: string) => (await rows(of)).map(({ score, error }) => error ?? score)
    assert.deepEqual(await outcomes(id), [1, 1, message])
    const ids = (await rows(id)).map(({ run_id: run }) => children.get(run ?? '')?.state)
    assert.deepEqual(ids, ['succeeded', 'succeeded', 'failed'])

    runs.clear()
    const live = await start(inputs(3), { evaluators: [polite], liveTools: ['clock'] })
    await finish(live)
    assert.deepEqual(
      [[...runs.values()], await outcomes(live)],
      [
        [1, 1, 1],
        [1, message, message],
      ],
    )
  })

  test(
    `${name}: X8: the cap of the judge ends an evaluation as Inconclusive, and no case is judged beyond it`,
    { skip },
    async (t) => {
      const { asked, models } = cappedJudge(3, { score: 1, reason: 'friendly' })
      const { start, finish, rows } = await openEvaluations(t, open, { models })
      const maxCost = { amount: '0.007', currency: 'EUR' }
      const judge = { route: { name: 'judge' }, maxCost }
      const id = await start(inputs(10), { evaluators: [polite, judged], judge, concurrency: 1 })
      const ended = await finish(id)
      assert.deepEqual([ended?.phase, ended?.reason, ended?.judge_micros], ['Inconclusive', 'JudgeCapReached', 6_000n])
      assert.match(ended?.message ?? '', /spec\.judge\.maxCost/)
      assert.equal(asked.length, 4)
      assert.deepEqual(
        new Set(asked.map(({ cap }) => JSON.stringify(cap))),
        new Set([JSON.stringify({ id, window: 'total', ...maxCost })]),
      )
      const found = await rows(id)
      assert.deepEqual(
        [found.filter(({ score }) => score !== null).length, found.filter(({ error }) => error !== null).length],
        [3, 7],
      )
    },
  )

  test(`${name}: a judge of another schema, prose or 1 MB leaves its cases without a score`, { skip }, async (t) => {
    const answers = [
      '{"verdict":"good"}',
      'Very good!',
      '{"score":7,"reason":"x"}',
      `{"score":1,"reason":"${'x'.repeat(1_000_000)}"}`,
    ]
    let asked = 0
    const models: RoleModels = {
      paidBy: () => ({
        chat: async () => ({ text: answers[asked++] ?? '', finishReason: 'stop', usage: null, cost: null }),
      }),
    }
    const { start, finish, rows } = await openEvaluations(t, open, { models })
    const judge = { route: { name: 'judge' }, maxCost: { amount: '1' } }
    const id = await start(inputs(4), { evaluators: [polite, judged], judge, concurrency: 1 })
    const ended = await finish(id)
    assert.deepEqual([ended?.phase, ended?.reason, ended?.score], ['Inconclusive', 'TooFewScored', null])
    assert.deepEqual(
      (await rows(id)).map(({ error }) => error),
      [
        'judged: the judge gave no reason',
        'judged: the judge did not respond with JSON',
        'judged: the judge gave no score from 0 to 1',
        'judged: the judge responded with too much text',
      ],
    )
  })

  test(`${name}: a tool call of a case has its recorded result, or the case has no score`, { skip }, async (t) => {
    const asked: unknown[] = []
    const recording = {
      findToolResult: async (
        _objects: unknown,
        runId: string,
        request: { arguments: Readonly<Record<string, unknown>> | null },
      ) => {
        asked.push([runId, request])
        return request.arguments?.['city'] === 'Paris' ? { content: 'sunny' } : undefined
      },
    }
    const { start, step, finish, rows, store } = await openEvaluations(t, open)
    const id = await start(inputs(2), { evaluators: [polite], liveTools: ['clock'] })
    for (let n = 0; n < 3; n++) await step(id)
    const [first, second] = await rows(id)
    const respond = createRecordedResponse({ store, recording })
    const call = (runId: string | null | undefined, city: string, tool = 'weather') =>
      respond({
        agentUid: 'uid-1',
        runId: runId ?? undefined,
        server: 'default/w',
        name: tool,
        tool,
        args: { city },
        objects: {} as never,
      })
    assert.deepEqual(await call(first?.run_id, 'Paris'), { content: 'sunny' })
    assert.equal(await call(first?.run_id, 'Rome', 'clock'), undefined, 'the suite names it as live')
    assert.equal(await call(uuidV7(), 'Paris'), undefined, 'a run that is no case reaches the server')
    assert.equal(await call(undefined, 'Paris'), undefined)
    await assert.rejects(call(second?.run_id, 'Rome'), /has no call of the tool weather/)
    assert.equal(asked.length, 2)
    await finish(id)
    assert.deepEqual(
      (await rows(id)).map(({ score, error }) => [score, error === null]),
      [
        [1, true],
        [null, false],
      ],
    )
  })
}

test('an evaluation acts as the agent that it evaluates, and as no other subject', async (t) => {
  const [pglite] = pluginAdapters
  assert.ok(pglite)
  const { executor } = await openEvaluations(t, pglite.open)
  const others: readonly RunExecutor[] = [{ ...executor, kind: 'other', actsAsAgent: undefined as never }]
  const extensions = () => [executor, ...others] as never
  const invoke = { verb: 'create', resource: 'agentdeployments/invoke', namespace: 'demo', name: 'bot' }
  const subject = 'system:serviceaccount:demo:bot'
  assert.equal(isOfItself({ extensions }, { subject, executor: 'evaluation' }, invoke), true)
  const refused: readonly [string, string | null | undefined, object][] = [
    [subject, 'other', {}],
    [subject, null, {}],
    [subject, undefined, {}],
    ['system:serviceaccount:demo:other', 'evaluation', {}],
    ['bot', 'evaluation', {}],
    [subject, 'evaluation', { name: 'other' }],
    [subject, 'evaluation', { name: undefined }],
    [subject, 'evaluation', { namespace: 'other' }],
    [subject, 'evaluation', { verb: 'update' }],
    [subject, 'evaluation', { resource: 'agentdeployments' }],
    [subject, 'evaluation', { group: 'acme.example' }],
  ]
  for (const [who, executorKind, more] of refused)
    assert.equal(
      isOfItself({ extensions }, { subject: who, executor: executorKind }, { ...invoke, ...more }),
      false,
      JSON.stringify([who, executorKind, more]),
    )
})
