import assert from 'node:assert/strict'
import test from 'node:test'
import { combineScores } from './combine-scores.ts'
import { decideEvaluation } from './decide.ts'
import type { EvaluationFindings } from './decide.ts'

const found = (more: Partial<EvaluationFindings> = {}) => {
  const { phase, reason } = decideEvaluation({
    spec: { baseline: { revision: 'deployed', maxRegression: 0.1 } },
    minScore: 0.8,
    means: { score: 0.9, repetitions: [0.9] },
    total: 10,
    scored: 10,
    stop: undefined,
    baseline: undefined,
    ...more,
  })
  return `${phase} ${reason}`
}

test('an evaluation passes only if its score is certain, high enough and no regression', () => {
  const stop = (reason: 'TimedOut' | 'JudgeCapReached' | 'BudgetReached') => ({ stop: { reason, message: '' } })
  const cases: readonly [Partial<EvaluationFindings>, string][] = [
    [{}, 'Passed ScoreReached'],
    [{ means: { score: 0.8, repetitions: [0.8] } }, 'Passed ScoreReached'],
    [{ means: { score: 0.1 + 0.7, repetitions: [] } }, 'Passed ScoreReached'],
    [{ means: { score: 0.79, repetitions: [0.79] } }, 'Failed ScoreTooLow'],
    [{ baseline: 1 }, 'Passed ScoreReached'],
    [{ baseline: 1, means: { score: 0.85, repetitions: [0.85] } }, 'Failed Regressed'],
    [{ baseline: null }, 'Inconclusive BaselineMissing'],
    [{ scored: 9 }, 'Passed ScoreReached'],
    [{ scored: 8 }, 'Inconclusive TooFewScored'],
    [{ total: 0, scored: 0, means: { score: null, repetitions: [] } }, 'Inconclusive NoCases'],
    [{ scored: 0, means: { score: null, repetitions: [] } }, 'Inconclusive TooFewScored'],
    [{ means: { score: 0.9, repetitions: [0.7, 1] } }, 'Inconclusive ScoreVaries'],
    [{ means: { score: 0.5, repetitions: [0.4, 0.6] } }, 'Failed ScoreTooLow'],
    [stop('JudgeCapReached'), 'Inconclusive JudgeCapReached'],
    [stop('BudgetReached'), 'Inconclusive BudgetReached'],
    [{ ...stop('TimedOut'), scored: 9 }, 'Inconclusive TimedOut'],
    [stop('TimedOut'), 'Passed ScoreReached'],
  ]
  for (const [given, expected] of cases) assert.equal(found(given), expected, JSON.stringify(given))
})

test('scores are combined by weight or by the lowest, and thresholds decide beside them', () => {
  const evaluators = [
    { name: 'a', type: 'exact', weight: 3 },
    { name: 'b', type: 'exact', threshold: 0.5 },
    { name: 'c', type: 'exact', weight: 0 },
  ]
  const scores = (a: number, b: number, c: number) =>
    Object.entries({ a, b, c }).map(([evaluator, score]) => ({ evaluator, score }))
  assert.deepEqual(combineScores({ evaluators }, scores(1, 0, 0), 0.7), { score: 0.75, passed: false })
  assert.deepEqual(combineScores({ evaluators }, scores(1, 0.6, 0), 0.7), { score: 0.9, passed: true })
  assert.deepEqual(combineScores({ evaluators, aggregate: 'min' }, scores(1, 0.6, 0), 0.7), {
    score: 0.6,
    passed: false,
  })
  assert.equal(combineScores({ evaluators }, scores(0.2, 1, 1), 0.9).passed, false)
})
