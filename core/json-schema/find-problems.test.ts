import assert from 'node:assert/strict'
import test from 'node:test'
import { findProblems } from './find-problems.ts'

const problems = (schema: unknown, value: unknown): readonly string[] =>
  findProblems({ value, schema, pointer: '/payload' }).map(({ pointer, detail }) => `${pointer} ${detail}`)

test('json-schema: problems are found below each keyword that judges parts', () => {
  const schema = {
    $defs: { size: { type: 'integer', minimum: 1 } },
    allOf: [{ required: ['name'] }, { properties: { name: { minLength: 2 } } }],
    properties: {
      size: { $ref: '#/$defs/size' },
      pair: { prefixItems: [{ const: 'a' }, { type: 'number' }], items: { type: 'boolean' } },
      old: { items: [{ type: 'null' }] },
      labels: { additionalProperties: { type: 'string' } },
      kind: { anyOf: [{ const: 'x' }, { const: 'y' }] },
      never: false,
    },
  }
  const value = {
    name: 'n',
    size: 0,
    pair: ['b', 1, true, 2],
    old: [1, 2],
    labels: { 'a~/b': 1, ok: 'yes' },
    kind: 'z',
    never: 1,
  }
  assert.deepEqual(problems(schema, value), [
    '/payload/name minLength is 2',
    '/payload/size minimum is 1',
    '/payload/pair/0 must be the value of the schema',
    '/payload/pair/3 must be boolean',
    '/payload/old/0 must be null',
    '/payload/labels/a~0~1b must be string',
    '/payload/kind does not match anyOf of the schema',
    '/payload/never is not allowed by the schema',
  ])
  assert.deepEqual(problems(schema, {}), ['/payload/name is required'])
  assert.deepEqual(problems(schema, { name: 'no', size: 1, pair: ['a', 1], kind: 'x' }), [])
})

test('json-schema: a value that takes too many steps is refused as a whole', () => {
  const list = Array.from({ length: 100_000 }, () => 0)
  const costly = ['/payload takes too long to check against the schema']
  assert.deepEqual(problems({ items: { type: 'integer', minimum: 0 } }, list), costly)
  assert.deepEqual(problems({ $ref: '#' }, {}), costly)
  // The 21st is not looked for.
  assert.equal(problems({ items: { type: 'string' } }, list).length, 20)
})

test('json-schema: values of a schema are not repeated in problems', () => {
  const secret = 'classified'
  for (const schema of [{ enum: [secret] }, { const: secret }, { anyOf: [{ const: secret }] }, { not: { const: 1 } }])
    assert.doesNotMatch(problems(schema, 1).join(), /classified/)
})
