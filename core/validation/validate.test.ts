import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { checkOf, checkOnce } from './validate.ts'

const schema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 20 }),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  many: Type.Optional(Type.Array(Type.Object({ n: Type.Integer({ minimum: 1 }) }), { maxItems: 3 })),
  open: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Boolean())),
  either: Type.Optional(Type.Union([Type.Literal('a'), Type.Null()])),
})

test('a value that is checked once has the errors of a compiled check', () => {
  const values: readonly unknown[] = [
    { name: 'x' },
    { name: 'x', at: '2026-11-29T00:00:00Z', many: [{ n: 1 }], open: { a: true }, either: null },
    { name: '' },
    { name: 'x'.repeat(21), at: 'yesterday' },
    { name: 'x', many: [{ n: 0 }, { n: 1.5 }, { n: '1' }, {}, { n: 1, m: 2 }] },
    { name: 'x', open: { A: true, b: 'yes' }, either: 'b' },
    { name: '\ud800\u0000', __proto__: null, constructor: 1 },
    Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, n])),
    null,
    [],
    'text',
    Number.NaN,
    undefined,
  ]
  const check = checkOf(schema)
  for (const value of values) assert.deepEqual(checkOnce(schema, value), check(value), JSON.stringify(value))
  assert.ok(values.some((value) => check(value).length > 0) && values.some((value) => check(value).length === 0))
})
