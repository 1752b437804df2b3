import assert from 'node:assert/strict'
import test from 'node:test'
import { writeLike } from './write-like.ts'

const document =
  ' { "n" : 1.0, "big": 9007199254740993,\n "a": [ 1e2 , {"x": "\\u0041"} , -0.50 ], "s": "t\\"\\\\", "e": {}, "l": [] } '

test('R2-N1: a document that is equal to the value is written byte for byte', () => {
  assert.equal(writeLike(document, JSON.parse(document)), document)
  for (const one of ['null', ' "a\\\\" ', '[[],[{}]]', '{"a":{"b":[true,false,null]}}'])
    assert.equal(writeLike(one, JSON.parse(one)), one)
})

test('R2-N1: what differs is written, and everything around it keeps its form', () => {
  const value = JSON.parse(document) as Record<string, unknown>
  assert.equal(writeLike(document, { ...value, s: 'new' }), document.replace('"t\\"\\\\"', '"new"'))
  const nested = { ...value, a: [100, { x: 'B' }, -0.5] }
  assert.equal(writeLike(document, nested), document.replace('"\\u0041"', '"B"'))
})

test('R2-N1: fields are added, removed and renamed; lists and kinds of values change', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['{"a": 1.0,"b":2}', { a: 1, c: 'x' }, '{"a": 1.0,"c":"x"}'],
    ['{"a":1.0,"b":2}', {}, '{}'],
    ['{}', { a: [1] }, '{"a":[1]}'],
    ['[1.0,2]', [1], '[1]'],
    ['{"a":[1.0]}', { a: { b: 1 } }, '{"a":{"b":1}}'],
    ['{"a":{"b":1}}', { a: [1] }, '{"a":[1]}'],
    ['{"a":4111111111111111}', { a: '[masked]' }, '{"a":"[masked]"}'],
    ['{"a":1}', { a: undefined }, '{}'],
    ['{"\\u0061":1.0}', { a: 1 }, '{"\\u0061":1.0}'],
    ['"x"', { y: 1 }, '{"y":1}'],
  ]
  for (const [given, value, expected] of cases) assert.equal(writeLike(given, value), expected)
})

test('R2-N1: a name that is given twice is written with the value that was read', () => {
  const given = '{"role":"user","content":"hidden","content":"seen","x":1.0}'
  assert.equal(writeLike(given, JSON.parse(given)), '{"role":"user","content":"seen","x":1.0}')
})

test('R2-N1: any value is written as JSON of the same value, whatever the document is', () => {
  const documents = [document, '{"s":1}', '[{"a":1},{"a":2}]', '"s"', '{"a":{"a":{"a":[1,2,{"a":1}]}}}']
  for (const one of documents)
    for (const other of documents)
      assert.deepEqual(JSON.parse(writeLike(one, JSON.parse(other))), JSON.parse(other), `${one} ${other}`)
})

test('R2-N1: quotes, escapes and brackets of a hostile document are copied', () => {
  for (const unit of ['\\"', '\\\\', '[', '{}'] as const) {
    const given = `{"a":"${unit.repeat(200_000)}","b":1.0}`
    assert.equal(writeLike(given, JSON.parse(given)), given)
  }
})
