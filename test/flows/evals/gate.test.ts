import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { EvaluationView } from '#schemas/api/evaluations.ts'
import type { OnlineScoreView } from '#schemas/api/online-scores.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import { startEmbedded } from '#test/flows/platform/embedded.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import {
  createGateRig,
  ended,
  eventually,
  makeAgent,
  makeDataset,
  makeRoutes,
  makeSuite,
  served,
  suites,
} from './gate-rig.ts'
import type { GatedRun, GateRig } from './gate-rig.ts'

// A package of a third party.
const similarity = new URL('../../../examples/plugins/similarity/', import.meta.url)

/** A provider that answers politely, another one that does not, and an agent whose revisions differ by their route. */
async function start(t: TestContext): Promise<GateRig> {
  const folder = tempFolder('gate')
  t.after(folder.remove)
  const config = join(folder.path, 'mesh.yaml')
  writeFileSync(config, `plugins: [${fileURLToPath(new URL('index.js', similarity))}]\n`)
  const rig = createGateRig(await startEmbedded(t, { env: { MESH_CONFIG: config } }))
  await makeRoutes(rig)
  await makeDataset(rig, 'greetings', 3)
  await makeSuite(rig, 'polite', 'greetings', { baseline: { revision: 'deployed', maxRegression: 0.1 } })
  await makeAgent(rig)
  assert.equal((await rig.ask('viewer', 'POST', `${suites}/demo/polite/runs`, { agent: 'bot' })).status, 403)
  return rig
}

test('a revision serves only after its evaluation has passed', { timeout: 480_000 }, async (t) => {
  const rig = await start(t)
  const { ask, agent, useRoute, gate, results } = rig

  const first = await ended(rig, 'Passed')
  assert.deepEqual(
    [first.score, first.evaluation?.cases, first.cases.map(({ passed, scores }) => [passed, scores[0]?.score])],
    [
      1,
      { total: 3, passed: 3, failed: 0, errored: 0 },
      [
        [true, 1],
        [true, 1],
        [true, 1],
      ],
    ],
  )
  const serving = await eventually('the first revision serves', async () => {
    const { status } = await agent()
    return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ? status : undefined
  })
  const runs = (await ask('developer', 'GET', '/api/runs?namespace=demo&agent=bot')).json<{ items: GatedRun[] }>().items
  assert.deepEqual(new Set(runs.map(({ trigger, state }) => `${trigger.kind} ${state}`)), new Set(['eval succeeded']))

  await t.test('a worse one is held with the reason, and no run reaches it', async () => {
    await useRoute('rude')
    const load = startLoad(rig)
    t.after(load.end)
    const failed = await ended(rig, 'Failed')
    assert.deepEqual(
      [
        failed.score,
        failed.baselineScore,
        failed.evaluation?.reason,
        failed.cases.every(({ regression }) => regression),
      ],
      [0, 1, 'ScoreTooLow', true],
    )
    await eventually('it is held', async () => ((await gate()) === 'True Failed' ? true : undefined))
    const { status } = await agent()
    assert.equal(status?.currentRevision, serving.currentRevision)
    const revision = status?.candidate?.revision
    assert.deepEqual(status?.evalGate, { phase: 'Failed', score: 0, minScore: 0.8, suiteRef: 'polite', revision })
    const seen = await load.end()
    assert.ok(seen.length > 50, `${seen.length} runs`)
    assert.deepEqual(new Set(seen), new Set([`succeeded ${first.revision}`]), 'none reached the candidate')
    const { items } = (await ask('developer', 'GET', '/api/runs?namespace=demo&agent=bot&limit=1')).json<{
      items: GatedRun[]
    }>()
    assert.ok(items.length > 0)
  })

  await t.test('an override is a right of its own, and lets it serve without losing a run', async () => {
    const { status } = await agent()
    const revision = status?.candidate?.number ?? 0
    const body = { agent: 'bot', revision, reason: 'Reviewed by hand.' }
    assert.equal((await ask('developer', 'POST', `${suites}/demo/polite/override`, body)).status, 403)
    const other = { ...body, revision: revision + 5 }
    assert.equal((await ask('operator', 'POST', `${suites}/demo/polite/override`, other)).status, 409)
    const load = startLoad(rig)
    t.after(load.end)
    const done = await ask('operator', 'POST', `${suites}/demo/polite/override`, body)
    assert.equal(done.status, 200, done.text)
    await eventually('it serves', async () => {
      const live = (await agent()).status
      return live?.currentRevision === status?.candidateRevision && live?.candidate === undefined ? true : undefined
    })
    await load.reaches(`succeeded ${revision}`)
    const seen = await load.end()
    assert.ok(
      seen.every((one) => one.startsWith('succeeded ')),
      [...new Set(seen)].join(),
    )
    const { history } = await results()
    assert.deepEqual([history[0]?.phase, history[0]?.overridden, history[0]?.deployed], ['Failed', true, true])
  })

  await t.test('its versions show that a person let it serve', async () => {
    const versions = async () =>
      (await ask('developer', 'GET', '/api/agents/demo/bot/versions')).json<{
        items: { override: { reason: string } | null }[]
      }>()
    const { items } = await versions()
    assert.deepEqual(
      items.map(({ override }) => override?.reason),
      ['Reviewed by hand.', undefined],
    )
    assert.equal((await agent()).status?.evalGate?.phase, 'Overridden')
  })

  await t.test('a rollback to a revision that passed needs no evaluation', async () => {
    const before = (await results()).history.length
    await useRoute('kind')
    await eventually('it serves again', async () => {
      const { status } = await agent()
      return status?.currentRevision === serving.currentRevision ? true : undefined
    })
    assert.equal((await results()).history.length, before)
    assert.equal((await agent()).status?.evalGate?.phase, 'Passed')
  })

  await t.test('runs in production are scored once the suite says so', async () => {
    const path = `${suites}/demo/polite`
    const { metadata, spec } = (await ask('developer', 'GET', path)).json<EvalSuiteObject>()
    const { name, namespace, resourceVersion } = metadata
    const online = { sampleRate: 1, evaluators: ['please'] }
    const put = await ask('developer', 'PUT', path, {
      metadata: { name, namespace, resourceVersion },
      spec: { ...spec, online },
    })
    assert.equal(put.status, 200, put.text)
    const read = async () => (await ask('viewer', 'GET', '/api/agents/demo/bot/online-score')).json<OnlineScoreView>()
    await eventually('the suite scores runs of the agent', async () =>
      (await read()).suite === 'polite' ? true : undefined,
    )
    for (const input of ['Hi', 'Help', 'Bye'])
      await ask('developer', 'POST', '/api/invoke', { agent: { namespace: 'demo', name: 'bot' }, input })
    const scored = await eventually('they are scored', async () => {
      const found = await read()
      // Runs that ended shortly before are in the same batch.
      const { count = 0, score } = found.items[0] ?? {}
      return count >= 3 && count === found.sampled && score !== 0 ? found : undefined
    })
    assert.deepEqual(
      [scored.items[0]?.evaluator, (scored.items[0]?.score ?? 0) > 0, scored.skipped, scored.cost],
      ['please', true, 0, null],
    )
  })

  await t.test('percent of gated deploys, statistics and cancelled evaluations', async () => {
    const gated = await ask('viewer', 'GET', '/api/metrics/eval-gated?namespace=demo')
    const { gated: passed, total, percent } = gated.json<{ gated: number; total: number; percent: number }>()
    assert.ok(passed === 1 && total >= 1 && percent > 0, gated.text)
    const made = await ask('developer', 'POST', `${suites}/demo/polite/runs`, { agent: 'bot' })
    assert.equal(made.status, 202, made.text)
    const { id } = made.json<EvaluationView>()
    const gone = await ask('developer', 'DELETE', `${suites}/demo/polite/runs/${id}`)
    assert.equal(gone.status, 204, gone.text)
    const again = await ask('developer', 'DELETE', `${suites}/demo/polite/runs/00000000-0000-7000-8000-000000000000`)
    assert.equal(again.status, 404)
    const found = await results()
    assert.deepEqual([found.evaluation?.id, found.phase], [id, 'Cancelled'])
  })

  await t.test('an evaluator of a third party scores cases, and its config is checked', async () => {
    const evaluator = { name: 'alike', type: 'example.com/similarity' }
    const path = '/api/datasets/answers'
    await ask('developer', 'PUT', `${path}?namespace=demo`, {})
    const cases = [{ id: 'a', input: 'Hi', expected: 'Yes, of course, please' }]
    await rig.make(`${path}/cases/import?namespace=demo`, { cases })
    await makeSuite(rig, 'wrong', 'answers', { evaluators: [{ ...evaluator, config: { words: 1 } }] })
    const refused = await eventually('its config is refused', async () => {
      const { status: shown } = (await ask('viewer', 'GET', `${suites}/demo/wrong`)).json<EvalSuiteObject>()
      return shown?.conditions?.find(({ type, status: is }) => type === 'Accepted' && is === 'False')
    })
    assert.match(refused.message ?? '', /^spec\.evaluators\[0\]\.config\.words is not known/)
    const evaluators = [{ ...evaluator, config: { ignore: ['of', 'course'] } }]
    await makeSuite(rig, 'alike', 'answers', { evaluators, mode: 'warn' })
    await rig.make(`${suites}/demo/alike/runs`, { agent: 'bot' })
    const passed = await ended(rig, 'Passed', 'alike')
    assert.deepEqual(
      passed.cases[0]?.scores.map(({ score, note }) => [score, note]),
      [[1, '2 of 2 words']],
    )
    const page = readFileSync(new URL('../../../docs/how-to/write-a-plugin.md', import.meta.url), 'utf8')
    assert.ok(page.includes(readFileSync(new URL('similarity.js', similarity), 'utf8')), 'the page shows it')
  })

  await t.test('a suite that only warns holds nothing, and says that the revision has failed', async () => {
    await rig.change({ model: { route: 'rude' }, evalGate: { suiteRef: { name: 'alike' } } })
    const { revision } = await ended(rig, 'Failed', 'alike')
    const { candidate, servingRevisions } = await served(rig)
    assert.deepEqual([candidate, servingRevisions], [undefined, [revision]])
  })
})

/** Up to 50 runs a second through the agent until `end`, which returns state and revision of each. */
function startLoad({ ask }: GateRig) {
  const seen: Promise<string>[] = []
  const reached: string[] = []
  let open = 0
  const one = async (): Promise<string> => {
    const body = { agent: { namespace: 'demo', name: 'bot' }, input: 'Hi', timeout: '60s' }
    const answer = await ask('developer', 'POST', '/api/invoke', body)
    const run = answer.json<GatedRun>()
    if (answer.status !== 200) return `${answer.status}`
    return run.state === 'succeeded' ? `succeeded ${run.agent?.revision}` : answer.text
  }
  const timer = setInterval(() => {
    // A slow machine has fewer at a time: its queue must not hold back the cases.
    if (open >= 12) return
    open++
    const run = one().finally(() => open--)
    seen.push(run)
    run.then((shown) => reached.push(shown)).catch(() => undefined)
  }, 20)
  return {
    /** Waits until a run has ended like this. */
    reaches: async (wanted: string): Promise<void> => {
      await eventually(`a run that ${wanted}`, async () => (reached.includes(wanted) ? true : undefined))
    },
    end: async () => {
      clearInterval(timer)
      return Promise.all(seen)
    },
  }
}
