import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { ApiProblem } from '#cli/contract/api-problem.ts'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { attributesOf, parseXml } from '#test/harness/parse-xml.ts'
import { SHARED_KINDS, placeReferences } from './candidate/place-references.ts'
import { planDataset, planSuite } from './candidate/plan-suite.ts'
import { previewName } from './candidate/preview.ts'
import { createCleanup } from './gate/cleanup.ts'
import { followGate } from './gate/follow-gate.ts'
import type { FollowedGate } from './gate/follow-gate.ts'
import { toJunit } from './report/junit.ts'
import { failedReport, toEvalReport } from './report/report.ts'

const root = new URL('../../../schemas/crds/', import.meta.url)

test('references get the namespace of the file if their kind can allow another one', async () => {
  const found: string[] = []
  for (const path of globSync('*.ts', { cwd: root })) {
    if (path.endsWith('.test.ts')) continue
    const exports = (await import(pathToFileURL(join(root.pathname, path)).href)) as Record<string, unknown>
    for (const one of Object.values(exports)) {
      const { kind, spec } = (one ?? {}) as { kind?: string; spec?: { properties?: object } }
      if (typeof kind === 'string' && spec?.properties !== undefined && 'allowedNamespaces' in spec.properties)
        found.push(kind)
    }
  }
  assert.deepEqual([...new Set(found)].toSorted(), SHARED_KINDS)
  const spec = {
    model: { route: 'fast', fallbackRoutes: ['other/slow'], allowRoutes: ['*', 'more', 'other/one'] },
    tools: [{ name: 'time' }, { name: 'search', bindingRef: { name: 'web' } }],
    guardrails: [{ name: 'safe', namespace: 'org' }],
    knowledge: [{ name: 'docs' }],
    secrets: [{ name: 'keys' }],
    scaling: { policyRef: { name: 'busy' } },
    delegates: [{ name: 'near' }, { name: 'far', namespace: 'org' }],
  }
  const { spec: placed, bound } = placeReferences(spec, 'demo')
  assert.deepEqual(placed, {
    ...spec,
    model: { route: 'demo/fast', fallbackRoutes: ['other/slow'], allowRoutes: ['*', 'demo/more', 'other/one'] },
    tools: [{ name: 'time' }, { name: 'search', bindingRef: { name: 'web', namespace: 'demo' } }],
    knowledge: [{ name: 'docs', namespace: 'demo' }],
  })
  assert.deepEqual(bound.map(({ kind, name, field }) => `${kind} ${name} ${field}`).toSorted(), [
    'AgentDeployment near spec.delegates[0]',
    'AgentScalingPolicy busy spec.scaling.policyRef',
    'SecretBinding keys spec.secrets[0]',
  ])
})

test('a suite is copied for the required score alone, and a dataset keeps its namespace', () => {
  const source = {
    datasetRef: { name: 'd', version: 3 },
    evaluators: [{ name: 'e', type: 'exact', threshold: 0.5 }],
    minScore: 1,
    mode: 'warn' as const,
    baseline: { revision: 'deployed', maxRegression: 0 },
    online: { sampleRate: 1, maxCostPerDay: { amount: '1' }, evaluators: ['e'] },
  }
  const dataset = { name: 'x', namespace: 'demo' }
  assert.deepEqual(planSuite({ source, dataset, minScore: 0.2 }), {
    datasetRef: dataset,
    evaluators: source.evaluators,
    minScore: 0.2,
    mode: 'block',
  })
  const places = { source, from: 'demo', into: 'agent-eval' }
  assert.deepEqual(planDataset(undefined, places), { name: 'd', version: 3, namespace: 'demo' })
  assert.deepEqual(planDataset('d', places), { name: 'd', version: 3, namespace: 'demo' })
  assert.deepEqual(planDataset('agent-eval/d', places), { name: 'd' })
  assert.deepEqual(planDataset('org/e', places), { name: 'e', namespace: 'org' })
  assert.equal(planDataset(undefined, { ...places, source: undefined }), undefined)
  const names = new Set(Array.from({ length: 50 }, () => previewName(`${'a'.repeat(42)}-bcdefghi`)))
  assert.equal(names.size, 50)
  for (const name of names) assert.match(name, /^a{42}--[a-z0-9]{8}$/)
})

const evaluation = { cases: { total: 2, passed: 1, failed: 0, errored: 1 } }
const results = (phase: string | null, score: number | null = null) =>
  ({
    phase,
    score,
    revision: 1,
    evaluation: phase === null ? null : { ...evaluation, phase },
    evaluators: [],
    cases: [],
  }) as unknown as EvalResultsView

function gateOf(read: readonly (EvalResultsView | Error)[], conditions: readonly object[] = []) {
  let [now, at] = [0, 0]
  const shown: string[] = []
  const gate: FollowedGate = {
    results: async () => {
      const one = read[Math.min(at++, read.length - 1)]
      if (one === undefined || one instanceof Error) throw one
      return one
    },
    agent: async () => ({ status: { conditions } }) as unknown as AgentDeploymentObject,
    pause: async (ms) => {
      now += ms
    },
    now: () => now,
    show: (text) => shown.push(text),
    evaluationMs: 600_000,
  }
  return { gate, shown, now: () => now }
}

test('a gate is followed to its end, and within bounds', async () => {
  const notYet = new ApiProblem(404, 'not there')
  const passed = gateOf([notYet, results(null), results('Pending'), results('Running'), results('Passed', 1)])
  assert.equal((await followGate(passed.gate)).score, 1)
  assert.deepEqual(passed.shown.slice(1), [
    'waiting for the candidate',
    'Pending: 2 of 2 cases',
    'Running: 2 of 2 cases',
  ])
  const slow = gateOf(
    [results(null)],
    [{ type: 'Ready', status: 'False', reason: 'ImagePullBackOff', message: 'No \u001bimage.' }],
  )
  await assert.rejects(
    followGate(slow.gate),
    /^CliProblem: the candidate was not ready within 5 minutes: ImagePullBackOff: No \\u001bimage\.$/,
  )
  assert.ok(slow.now() >= 300_000 && slow.now() < 310_000)
  const hanging = gateOf([results('Running')])
  await assert.rejects(followGate(hanging.gate), /has not ended within the timeout/)
  assert.ok(hanging.now() >= 660_000 && hanging.now() < 670_000)
  const refused = gateOf(
    [results(null)],
    [{ type: 'Accepted', status: 'False', reason: 'PluginDisabled', message: 'Off.' }],
  )
  await assert.rejects(followGate(refused.gate), /the candidate is not accepted: PluginDisabled: Off\./)
  assert.ok(refused.now() < 30_000)
  await assert.rejects(followGate(gateOf([new ApiProblem(401, 'expired')]).gate), /expired/)
  const lost = gateOf([results('Running'), new ApiProblem(503, 'down')])
  await assert.rejects(followGate(lost.gate), /down/)
  assert.ok(lost.now() >= 60_000 && lost.now() < 70_000)
})

test('a clean-up goes on after a failure, and names what stays', async () => {
  const [removed, said]: [string[], string[]] = [[], []]
  const cleanup = createCleanup({ err: (text) => said.push(text) })
  let conflicts = 1
  cleanup.add('first', async () => void removed.push('first'))
  cleanup.add('gone', () => Promise.reject(new ApiProblem(404, 'not there')))
  cleanup.add('used', async () => {
    if (conflicts-- > 0) throw new ApiProblem(409, 'in use')
    removed.push('used')
  })
  cleanup.add('denied', () => Promise.reject(new ApiProblem(403, 'forbidden')))
  await cleanup.run()
  assert.deepEqual([removed, said], [['used', 'first'], ['meshctl: denied was not deleted: forbidden\n']])
})

const head = {
  candidate: { file: 'a.yaml', namespace: 'demo', name: 'bot' },
  namespace: 'agent-eval',
  suite: null,
  dataset: 'demo/d',
  minScore: 0.8,
}
const spec = { datasetRef: { name: 'd' }, evaluators: [{ name: 'e', type: 'exact' }], minScore: 0.8 }

test('pass and fail follow the score of a gate that has one', () => {
  const decide = (phase: string, score: number | null) =>
    toEvalReport(head, { results: results(phase, score), spec, baseline: null }).decision
  assert.deepEqual(
    [decide('Passed', 0.8), decide('Failed', 0.8 - 1e-12), decide('Failed', 0.79), decide('Inconclusive', 1)],
    ['pass', 'pass', 'fail', 'error'],
  )
  assert.deepEqual([decide('Cancelled', 1), decide('Error', null), decide('Passed', null)], ['error', 'error', 'error'])
})

test('JUnit has one testcase for each case, whatever its strings contain', () => {
  const hostile = 'a]]><b>&"\u0000\u001b[31m\ud800\u0085\u202e\uffff\ttab\nline'
  const baseline = { baselineScore: null, baselineRunIds: [], regression: false }
  const one = { ...baseline, inputDigest: 'sha256:0', runIds: ['r1'], scores: [], error: null, score: 1 }
  const cases = [
    { ...one, caseId: 'passes', passed: true },
    {
      ...one,
      caseId: hostile,
      passed: false,
      score: 0,
      scores: [{ evaluator: 'e', repetition: 1, score: 0, note: hostile }],
    },
    { ...one, caseId: 'no score', passed: null, score: null, error: hostile },
  ]
  const report = toEvalReport(head, { results: { ...results('Failed', 0.5), cases }, spec, baseline: null })
  const text = toJunit(report)
  // oxlint-disable-next-line no-control-regex -- none may be left
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\ud800]/)
  const xml = parseXml(text)
  const counts = ['tests', 'failures', 'errors'].map((name) => attributesOf(xml, 'testsuite', name)[0])
  assert.deepEqual(counts, ['3', '1', '1'])
  assert.equal(attributesOf(xml, 'testcase', 'name')[1], 'a]]><b>&"\ufffd\ufffd[31m\ufffd\ufffd\ufffd\ufffd\ttab\nline')
  const failed = parseXml(toJunit(failedReport(head, hostile)))
  assert.deepEqual(attributesOf(failed, 'testcase', 'name'), ['evaluation'])
  assert.match(attributesOf(failed, 'testcase > error', 'message')[0] ?? '', /^a\]\]><b>&"/)
})
