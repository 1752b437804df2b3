import assert from 'node:assert/strict'
import test from 'node:test'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { gateStateOf } from '../../plugins/evals/console/score/gate-state.ts'
import { toScoreLine, toScorePoints } from '../../plugins/evals/console/shared/chart-points.ts'
import { outcomeOf, scoreReasonOf, toScore, worstFirst } from '../../plugins/evals/console/shared/shown-results.ts'
import { needsChromium } from './browser-session.ts'
import { cannedEvals, cannedEvaluation, cannedResults } from './canned-evals.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { startBrowser } from './look.ts'

const packed = consoleFiles()

test('what regressed stands first, then what has no score, then the lowest', () => {
  const [base] = cannedResults
  assert.deepEqual(
    worstFirst([
      { ...base!, caseId: 'd', score: 0.1, passed: false, baselineScore: null },
      { ...base!, caseId: 'e', score: 0.5, baselineScore: 0.6, regression: true },
      ...cannedResults,
    ]).map(({ caseId }) => caseId),
    ['b', 'e', 'c', 'd', 'a'],
  )
  assert.deepEqual(cannedResults.map(outcomeOf), ['passed', 'regressed', 'errored'])
  assert.equal(scoreReasonOf({ ...base!, scores: [] }), '')
  assert.equal(toScore(null), '—')
  assert.equal(toScore(0.805), (0.805).toFixed(2))
})

test('the chart goes from the oldest to the newest, and an evaluation without a score is a gap', () => {
  const points = toScorePoints(cannedEvaluation.history)
  assert.deepEqual(
    points.map(({ x, y }) => [x, y === undefined ? undefined : Math.round(y)]),
    [
      [12.5, 85],
      [37.5, undefined],
      [62.5, 95],
      [87.5, 50],
    ],
  )
  assert.equal(toScoreLine(points), 'M12.50 15.00M62.50 5.00L87.50 50.00')
  assert.equal(toScoreLine([]), '')
  const [last, ...rest] = cannedEvaluation.history
  const baselineLast = toScorePoints([...rest, last!])
  assert.deepEqual(
    baselineLast.map(({ past }) => past.revision),
    points.map(({ past }) => past.revision),
    'a revision that was evaluated late stands at its number',
  )
})

test('a gate says which revision it holds and why, and which one serves', () => {
  const condition = (status: 'True' | 'False') => ({
    conditions: [{ type: 'EvalGated', status, reason: 'Failed', message: 'm', lastTransitionTime: '' }],
    servingRevisions: [2],
    candidate: { revision: 'x', number: 3 },
  })
  assert.deepEqual(gateStateOf({ status: condition('True') as never }), {
    held: { number: 3, reason: 'Failed', message: 'm' },
    serving: 2,
  })
  assert.deepEqual(gateStateOf({ status: condition('False') as never }), { held: undefined, serving: 2 })
  assert.deepEqual(gateStateOf({}), { held: undefined, serving: undefined })
})

test('pages of suites in every look: no violation, no sideways scroll, hostile texts', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, cannedEvals)
  await checkLooks(await startBrowser(t), url, [
    ['/evals', 'tbody tr[aria-rowindex]'],
    ['/evals/demo/polite', 'text=1 case regressed'],
    ['/evals/demo/polite?case=b', '.cm-line'],
  ])
})
