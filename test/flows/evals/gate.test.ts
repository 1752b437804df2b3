import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import type { Persona } from '#local/data-folder/personas.ts'
import type { EvaluationView, EvalResultsView } from '#schemas/api/evaluations.ts'
import type { OnlineScoreView } from '#schemas/api/online-scores.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { startAll } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { clusterOf } from './cluster-of.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

interface Run {
  readonly id: string
  readonly state: string
  readonly agent: { readonly name: string; readonly revision: number | null } | null
  readonly trigger: { readonly kind: string }
}

const suites = '/api/evalsuites'

async function start(t: TestContext) {
  const folder = tempFolder('evals')
  t.after(folder.remove)
  const { ready } = await startAll(t, join(folder.path, 'data'), {})
  const send = createSend(t, ready.url)
  const ask = (who: Persona, method: string, path: string, body?: object) =>
    send({ method, path, bearer: ready.tokens[who], ...(body === undefined ? {} : { body }) })
  const agent = async () => (await ask('developer', 'GET', '/api/agents/demo/bot')).json<AgentDeploymentObject>()
  const make = async (path: string, body: object, who: Persona = 'developer') => {
    const made = await ask(who, 'POST', path, body)
    assert.ok(made.status < 300, `${path}: ${made.text}`)
    return made
  }
  const useRoute = async (route: string) => {
    const { metadata, spec } = await agent()
    const { name, namespace, resourceVersion } = metadata
    const body = { metadata: { name, namespace, resourceVersion }, spec: { ...spec, model: { route } } }
    const put = await ask('developer', 'PUT', '/api/agents/demo/bot', body)
    assert.equal(put.status, 200, put.text)
  }
  const gate = async () => {
    const { status } = await agent()
    const found = status?.conditions?.find(({ type }) => type === 'EvalGated')
    return `${found?.status} ${found?.reason}`
  }
  const results = async (query = '') =>
    (await ask('viewer', 'GET', `${suites}/demo/polite/results${query}`)).json<EvalResultsView>()
  const { server, ca } = clusterOf(ready.kubeconfig)
  const toCluster = createSend(t, server, ca)
  const kube: typeof toCluster = (request) => toCluster({ ...request, bearer: ready.tokens.admin })
  return { kube, ask, agent, make, useRoute, gate, results }
}

type Rig = Awaited<ReturnType<typeof start>>

async function until<T>(what: string, look: () => Promise<T | undefined>, ms = 120_000): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    const found = await look()
    if (found !== undefined) return found
    await pause(250)
  }
  throw new Error(what)
}

const ended = (rig: Rig, phase: EvaluationView['phase'], route: string) =>
  until(`${route}: an evaluation ends as ${phase}`, async () => {
    const found = await rig.results()
    return found.phase === phase ? found : undefined
  })

/** A provider that answers politely, another one that does not, and an agent whose revisions differ by their route. */
async function setUp(rig: Rig): Promise<void> {
  const { make, ask } = rig
  for (const [name, reply] of [
    ['kind', 'Yes, please.'],
    ['rude', 'No.'],
  ] as const) {
    const spec = { type: 'mock', mock: { script: [{ reply }] } }
    const { status, text } = await rig.kube({
      method: 'POST',
      path: '/apis/mesh.dev/v1alpha1/namespaces/demo/modelproviders',
      body: { apiVersion: 'mesh.dev/v1alpha1', kind: 'ModelProvider', metadata: { name, namespace: 'demo' }, spec },
    })
    assert.equal(status, 201, text)
    await make('/api/modelroutes', {
      metadata: { name, namespace: 'demo' },
      spec: { providerRef: { name }, model: 'mock' },
    })
  }
  const dataset = await ask('developer', 'PUT', '/api/datasets/greetings?namespace=demo', {})
  assert.ok(dataset.status < 300, dataset.text)
  const cases = ['Hi', 'Help me', 'Bye'].map((input, index) => ({ id: `case-${index}`, input }))
  await make('/api/datasets/greetings/cases/import?namespace=demo', { cases })
  await make('/api/datasets/greetings/pin?namespace=demo', { note: 'first' })
  await make(suites, {
    metadata: { name: 'polite', namespace: 'demo' },
    spec: {
      datasetRef: { name: 'greetings' },
      evaluators: [{ name: 'please', type: 'contains', config: { values: ['please'] } }],
      minScore: 0.8,
      baseline: { revision: 'deployed', maxRegression: 0.1 },
    },
  })
  await make('/api/agents', {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name: 'bot', namespace: 'demo' },
    spec: {
      model: { route: 'kind' },
      systemPrompt: 'You help.',
      limits: { concurrency: 16 },
      evalGate: { suiteRef: { name: 'polite' } },
    },
  })
  assert.equal((await ask('viewer', 'POST', `${suites}/demo/polite/runs`, { agent: 'bot' })).status, 403)
}

test('a revision serves only after its evaluation has passed', { timeout: 480_000 }, async (t) => {
  const rig = await start(t)
  await setUp(rig)
  const { ask, agent, useRoute, gate, results } = rig

  const first = await ended(rig, 'Passed', 'kind')
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
  const serving = await until('the first revision serves', async () => {
    const { status } = await agent()
    return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ? status : undefined
  })
  const runs = (await ask('developer', 'GET', '/api/runs?namespace=demo&agent=bot')).json<{ items: Run[] }>().items
  assert.deepEqual(new Set(runs.map(({ trigger, state }) => `${trigger.kind} ${state}`)), new Set(['eval succeeded']))

  await t.test('a worse one is held with the reason, and no run reaches it', async () => {
    await useRoute('rude')
    const load = startLoad(rig)
    t.after(load.end)
    const failed = await ended(rig, 'Failed', 'rude')
    assert.deepEqual(
      [
        failed.score,
        failed.baselineScore,
        failed.evaluation?.reason,
        failed.cases.every(({ regression }) => regression),
      ],
      [0, 1, 'ScoreTooLow', true],
    )
    await until('it is held', async () => ((await gate()) === 'True Failed' ? true : undefined))
    const { status } = await agent()
    assert.equal(status?.currentRevision, serving.currentRevision)
    const revision = status?.candidate?.revision
    assert.deepEqual(status?.evalGate, { phase: 'Failed', score: 0, minScore: 0.8, suiteRef: 'polite', revision })
    const seen = await load.end()
    assert.ok(seen.length > 50, `${seen.length} runs`)
    assert.deepEqual(new Set(seen), new Set([`succeeded ${first.revision}`]), 'none reached the candidate')
    const { items } = (await ask('developer', 'GET', '/api/runs?namespace=demo&agent=bot&limit=1')).json<{
      items: Run[]
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
    await until('it serves', async () => {
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
    await until('it serves again', async () => {
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
    await until('the suite scores runs of the agent', async () =>
      (await read()).suite === 'polite' ? true : undefined,
    )
    for (const input of ['Hi', 'Help', 'Bye'])
      await ask('developer', 'POST', '/api/invoke', { agent: { namespace: 'demo', name: 'bot' }, input })
    const scored = await until('they are scored', async () => {
      const found = await read()
      // Runs that ended shortly before are in the same batch.
      return (found.items[0]?.count ?? 0) >= 3 && found.items[0]?.count === found.sampled ? found : undefined
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
})

/** Up to 50 runs a second through the agent until `end`, which returns state and revision of each. */
function startLoad({ ask }: Rig) {
  const seen: Promise<string>[] = []
  const reached: string[] = []
  let open = 0
  const one = async (): Promise<string> => {
    const body = { agent: { namespace: 'demo', name: 'bot' }, input: 'Hi', timeout: '60s' }
    const answer = await ask('developer', 'POST', '/api/invoke', body)
    const run = answer.json<Run>()
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
      await until(`a run that ${wanted}`, async () => (reached.includes(wanted) ? true : undefined))
    },
    end: async () => {
      clearInterval(timer)
      return Promise.all(seen)
    },
  }
}
