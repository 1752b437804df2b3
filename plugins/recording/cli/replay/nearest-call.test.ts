import assert from 'node:assert/strict'
import test from 'node:test'
import { mergeFixture } from '#plugins/recording/contract/format/merge.ts'
import { endPart, modelPart, runId, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { describeNearest, firstDifference } from './nearest-call.ts'

test('the first difference is an RFC 6901 pointer in the order of the recorded keys', () => {
  for (const [recorded, made, pointer] of [
    [{ a: 1 }, { a: 1 }, undefined],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, '/a/1/b'],
    [{ a: 1 }, {}, '/a'],
    [{}, { 'x/y~z': 1 }, '/x~1y~0z'],
    [[1], [1, 2], '/1'],
    [1, '1', ''],
    [{ a: null }, { a: {} }, '/a'],
    [{}, JSON.parse('{"__proto__":1}'), '/__proto__'],
  ] as const)
    assert.equal(firstDifference(recorded, made), pointer)
})

test('the nearest call has the most similar shape, and its values are never named', () => {
  const parts = [modelPart(1, 'secret'), toolPart(1, { x: 'secret' }), toolPart(2, { y: 1 }), endPart(1, 2)]
  const fixture = mergeFixture(runId, parts)
  const made = {
    channel: 'tool',
    request: { server: 'demo/notes', name: 'echo', tool: 'echo', arguments: { x: 'other' } },
  } as const
  assert.equal(describeNearest(fixture, made), 'nearest recorded: tool call 100001, first different at "/arguments/x"')
  const none = mergeFixture(runId, [endPart(0, 0)])
  assert.equal(describeNearest(none, made), undefined)
})
