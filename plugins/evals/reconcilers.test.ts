import assert from 'node:assert/strict'
import test from 'node:test'
import type { ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { apply, clusters } from '#plugins/providers/testing/manager.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteObject, EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import type { Evaluator } from './contract/points.ts'
import { builtInEvaluators } from './evaluators/built-in.ts'
import { previewReconcilers } from './previews/expire-previews.ts'
import { suiteReconciler } from './reconcilers.ts'
import { findSuiteProblems } from './suites/check-suite.ts'

const similarity: Evaluator = {
  type: 'acme.example/similarity',
  check: ({ at }) => (at === undefined ? [{ pointer: '/at', detail: 'is required' }] : []),
  evaluate: () => ({ score: 1 }),
}
const polite = { name: 'polite', type: 'contains', config: { values: ['please'] } }
const away = { name: 'away', type: 'http', config: { url: 'https://scores.example' } }
const byJudge = { name: 'judged', type: 'modelJudge', config: { rubric: 'x' } }
const suite = (more: Partial<EvalSuiteSpec> = {}): EvalSuiteSpec => ({
  datasetRef: { name: 'greetings' },
  evaluators: [polite],
  minScore: 0.5,
  ...more,
})

test('evals: the status of a suite names what cannot be evaluated', async (t) => {
  const { admin, manager } = await clusters.real(t)
  const namespace = `es-${process.pid}`
  await apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const evaluators = () => [...builtInEvaluators, similarity]
  const evaluated: boolean[] = []
  const { reconcile } = suiteReconciler({
    cluster: manager,
    now: () => new Date(),
    evaluators,
    findMissingDataset: async ({ spec: { datasetRef } }) =>
      datasetRef.name === 'gone'
        ? { reason: 'DatasetNotFound', message: 'spec.datasetRef: there is no dataset gone.' }
        : undefined,
    evaluate: async (_suite, isAccepted) => void evaluated.push(isAccepted),
    newestOf: async () => undefined,
  })
  const ref = (name: string): ObjectRef => ({ namespace, name }) as ObjectRef
  const write = (name: string, spec: EvalSuiteSpec) =>
    apply(admin, { apiVersion: 'mesh.dev/v1alpha1', kind: 'EvalSuite', metadata: { name, namespace }, spec })
  const conditionsOf = async (name: string, spec: EvalSuiteSpec) => {
    await write(name, spec)
    await reconcile(ref(name), undefined)
    const { status } = await admin.get<EvalSuiteObject>(EvalSuite, ref(name))
    return Object.fromEntries(
      (status?.conditions ?? []).map(({ type, status: is, reason, message }) => [type, `${is} ${reason} ${message}`]),
    )
  }
  assert.deepEqual(await conditionsOf('good', suite()), {
    Accepted: 'True Accepted 1 evaluator scores each case.',
    ResolvedRefs: 'True ResolvedRefs Every reference was found.',
  })
  const gone = await conditionsOf('gone', suite({ datasetRef: { name: 'gone' } }))
  assert.equal(gone['ResolvedRefs'], 'False DatasetNotFound spec.datasetRef: there is no dataset gone.')
  const judge = { route: { name: 'mock' }, maxCost: { amount: '1' } }
  const missing = await conditionsOf('judged', suite({ judge }))
  assert.match(missing['ResolvedRefs'] ?? '', /^False RouteNotFound spec\.judge\.route: there is no route es-\d+\/mock/)
  await addRoute(admin, namespace, 'mock', { provider: { type: 'mock' } })
  const found = await conditionsOf('judged', suite({ judge }))
  assert.match(found['ResolvedRefs'] ?? '', /^True/)
  assert.equal(evaluated.at(-1), true)

  const bad: readonly [EvalSuiteSpec['evaluators'][number], RegExp][] = [
    [{ name: 'e', type: 'regex', config: { pattern: 'secret(' } }, /^False InvalidEvaluator spec\.evaluators\[0\]/],
    [{ name: 'e', type: 'acme.example/unknown' }, /^False UnknownEvaluator spec\.evaluators\[0\]\.type is not a type/],
    [{ name: 'e', type: similarity.type }, /spec\.evaluators\[0\]\.config\.at is required\.$/],
  ]
  for (const [evaluator, message] of bad) {
    const { Accepted: accepted = '' } = await conditionsOf('bad', suite({ evaluators: [evaluator] }))
    assert.match(accepted, message)
    assert.ok(!accepted.includes('secret('))
    assert.equal(evaluated.at(-1), false, 'no gate is decided by it')
  }

  const refused: readonly [string, Partial<EvalSuiteSpec>, RegExp][] = [
    ['score', { minScore: 1.5 }, /minScore/],
    ['repetitions', { repetitions: 11 }, /repetitions/],
    ['timeout', { timeout: '25h' }, /timeout/],
    ['judge', { evaluators: [byJudge, polite] }, /spec\.judge/],
    ['alone', { judge, evaluators: [byJudge] }, /spec\.evaluators/],
    ['weightless', { judge, evaluators: [byJudge, { ...polite, weight: 0 }] }, /spec\.evaluators/],
    ['online', { online: { sampleRate: 1, evaluators: ['other'] } }, /spec\.online/],
    [
      'away',
      { evaluators: [polite, away], online: { sampleRate: 1, evaluators: ['away'] } },
      /spec\.online\.evaluators/,
    ],
    ['baseline', { baseline: { revision: 'newest', maxRegression: 0 } }, /baseline/],
  ]
  for (const [name, more, message] of refused)
    await assert.rejects(write(name, suite(more)), (error: unknown) => {
      assert.ok(isStatus(error, 422), String(error))
      assert.match((error as Error).message, message)
      return true
    })
})

test('the manager deletes agents and suites of previews when their time is over, and no others', async (t) => {
  const { admin, manager } = await clusters.real(t)
  const namespace = `expiry-${process.pid}`
  await apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  let laterMs = 0
  const reconcilers = previewReconcilers({ cluster: manager, now: () => new Date(Date.now() + laterMs) })
  assert.deepEqual(
    reconcilers.map(({ resource }) => resource.kind),
    ['AgentDeployment', 'EvalSuite'],
  )
  const specs: Readonly<Record<string, object>> = { AgentDeployment: { model: { route: 'mock' } }, EvalSuite: suite() }
  for (const { resource, reconcile } of reconcilers) {
    const make = async (name: string, expiresAfter?: string) => {
      const annotations = expiresAfter === undefined ? {} : { 'mesh.dev/expires-after': expiresAfter }
      const metadata = { namespace, name, annotations }
      const { kind } = resource
      await apply(admin, { apiVersion: 'mesh.dev/v1alpha1', kind, metadata, spec: specs[kind] })
      const ref = { namespace, name } as ObjectRef
      const read = () => admin.get(resource, ref).catch((error: unknown) => isStatus(error, 404))
      const object = await admin.get(resource, ref)
      return { read, reconcile: () => reconcile(ref, object) }
    }
    const [preview, plain, odd] = [await make('preview', '20m'), await make('plain'), await make('odd', 'soon')]
    laterMs = 0
    const { requeueAfterMs = 0 } = await preview.reconcile()
    assert.ok(requeueAfterMs > 18 * 60_000 && requeueAfterMs <= 20 * 60_000, String(requeueAfterMs))
    laterMs = 21 * 60_000
    for (const one of [plain, odd]) assert.deepEqual(await one.reconcile(), {})
    assert.deepEqual(await preview.reconcile(), {})
    assert.equal(await preview.read(), true)
    // Deleted by its maker meanwhile.
    assert.deepEqual(await preview.reconcile(), {})
    for (const one of [plain, odd]) assert.notEqual(await one.read(), true)
    await make('preview')
    assert.deepEqual(await preview.reconcile(), {}, 'another object of the name stays')
    assert.notEqual(await preview.read(), true)
  }
})

test('a suite that scores runs in production names evaluators without expected outputs', () => {
  const online = { sampleRate: 1, evaluators: ['same'] }
  const of = (config: Record<string, unknown>) =>
    findSuiteProblems(suite({ online, evaluators: [{ name: 'same', type: 'exact', config }] }))
  assert.deepEqual(of({ value: 'x' }), [])
  assert.deepEqual(
    of({}).map(({ reason, pointer }) => [reason, pointer]),
    [['NeedsExpected', '/spec/evaluators/0']],
  )
})
