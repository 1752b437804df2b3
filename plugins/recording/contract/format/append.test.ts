import assert from 'node:assert/strict'
import test from 'node:test'
import { appendRun } from './append.ts'
import { mergeFixture } from './merge.ts'
import { endPart, modelPart, runId, toolPart } from './testing/parts.ts'

const other = '019a0000-0000-7000-8000-000000000002'
const first = mergeFixture(runId, [modelPart(1, 'a'), toolPart(1, { x: 1 }), endPart(1, 1)])
const second = mergeFixture(other, [
  modelPart(1, 'b', { runId: other, epoch: 7 }),
  endPart(1, 0, { runId: other, epoch: 7 }),
])

test('a further run is appended as the next attempt of the recording, also of one from a cluster', () => {
  const joined = appendRun(first, second, 'B')
  assert.deepEqual([joined.runId, joined.complete, joined.problems], [runId, true, []])
  assert.deepEqual(
    joined.model.map(({ epoch, runId: of, request }) => [epoch, of, request.body?.['messages']]),
    [
      [1, runId, [{ role: 'user', content: 'a' }]],
      [2, runId, [{ role: 'user', content: 'b' }]],
    ],
  )
  assert.deepEqual(joined.inputs, [{ epoch: 2, input: 'B' }])
  const third = appendRun(joined, second, { n: 3 })
  assert.deepEqual(
    third.model.map(({ epoch }) => epoch),
    [1, 2, 3],
  )
  assert.deepEqual(
    third.inputs?.map(({ input }) => input),
    ['B', { n: 3 }],
  )
})

test('a recording that lacks calls stays incomplete when a run is appended', () => {
  const truncated = mergeFixture(runId, [modelPart(2, 'a'), endPart(2, 0)])
  const joined = appendRun(truncated, second, 'B')
  assert.equal(joined.complete, false)
  assert.ok(joined.problems.some(({ code }) => code === 'missing'))
})
