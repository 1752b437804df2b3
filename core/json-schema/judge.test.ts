import assert from 'node:assert/strict'
import test from 'node:test'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { judgeBySchema } from './judge.ts'

const ajv = new AjvJsonSchemaValidator()
const values = [
  {},
  { a: 1 },
  { a: 'x' },
  { a: 1.5, b: null },
  { a: [1, 'x', {}] },
  { a: { a: 1 } },
  { b: [] },
  { a: '💚' },
]
const of = (a: unknown) => ({ type: 'object', properties: { a } })
// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
const conditional = (given: unknown, yes: unknown, no: unknown) => ({ if: given, then: yes, else: no })

/** Schemas of keywords that are interpreted; the library of the public SDK is the oracle. */
const schemas: readonly object[] = [
  of({ type: 'integer' }),
  of({ type: ['string', 'null'] }),
  of({ enum: [1, { a: 1 }, [1, 'x', {}]] }),
  of({ const: 'x' }),
  of({ minimum: 1, maximum: 1 }),
  of({ exclusiveMinimum: 1 }),
  of({ exclusiveMaximum: 1.5 }),
  of({ minLength: 2 }),
  of({ maxLength: 1 }),
  of({ items: { type: 'number' } }),
  of({ prefixItems: [{ type: 'number' }, { type: 'string' }], items: { type: 'object' } }),
  of({ prefixItems: [true, { type: 'number' }] }),
  of({ contains: { const: 'x' } }),
  of({ minItems: 4 }),
  of({ maxItems: 2 }),
  of({ minProperties: 2 }),
  of({ maxProperties: 0 }),
  of(false),
  { type: 'object', required: ['a'] },
  { type: 'object', properties: { a: true }, additionalProperties: false },
  { type: 'object', additionalProperties: { type: ['number', 'null'] } },
  { type: 'object', propertyNames: { maxLength: 1, const: 'a' } },
  { type: 'object', dependentRequired: { b: ['a'] } },
  { type: 'object', anyOf: [{ required: ['b'] }, of({ type: 'string' })] },
  { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  { type: 'object', allOf: [{ required: ['a'] }, { minProperties: 2 }] },
  { type: 'object', not: { required: ['b'] } },
  { type: 'object', ...conditional({ required: ['b'] }, { required: ['a'] }, of({ type: 'number' })) },
  { type: 'object', $defs: { 'x/y~': { type: 'number' } }, properties: { a: { $ref: '#/$defs/x~1y~0' } } },
  { type: 'object', properties: { a: { anyOf: [{ $ref: '#' }, { type: 'number' }] } } },
  { type: 'object', $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n', minimum: 1.2 } } },
]

test('json-schema: keywords of schemas are judged as the validator of the public SDK does', () => {
  for (const schema of schemas) {
    const validate = ajv.getValidator(schema as never)
    for (const value of values)
      assert.equal(judgeBySchema(value, schema), validate(value).valid, JSON.stringify([schema, value]))
  }
})

test('json-schema: a keyword that is not interpreted refuses nothing, also below others', () => {
  for (const uncertain of [
    { pattern: '^y' },
    { format: 'email' },
    { unknown: 1 },
    { $ref: 'https://example.com/a' },
    { $ref: '#/nowhere' },
    { $ref: '#/%' },
    { $ref: 1 },
    { $dynamicRef: '#a' },
    { type: 'text' },
    { minimum: '1', minLength: 'x' },
    { enum: 'x' },
    { $id: 'https://example.com/b', const: 'never' },
    'no schema',
  ])
    for (const schema of [
      of(uncertain),
      of({ not: uncertain }),
      of({ anyOf: [false, uncertain] }),
      of({ oneOf: [false, uncertain] }),
      of(conditional(uncertain, false, false)),
    ])
      assert.equal(judgeBySchema({ a: 'x' }, schema), undefined, JSON.stringify(schema))
  assert.equal(judgeBySchema({ a: 'x' }, of({ pattern: '^y', type: 'number' })), false)
  assert.equal(judgeBySchema({ b: 1 }, { patternProperties: { b: true }, additionalProperties: false }), undefined)
})

test('json-schema: keywords beside a reference count from draft 2019-09 on', () => {
  const schema = { definitions: { any: true }, properties: { a: { $ref: '#/definitions/any', type: 'number' } } }
  const $schema = 'http://json-schema.org/draft-07/schema#'
  const verdicts = [schema, { ...schema, $schema }].map((one) => judgeBySchema({ a: 'x' }, one))
  assert.deepEqual(verdicts, [false, true])
})

test('X3: no schema of a server takes more steps than the bound, whatever the value', () => {
  const list = Array.from({ length: 100_000 }, () => 0)
  const many = (one: unknown) => Array.from({ length: 10_000 }, () => one)
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return [`d${index}`, { allOf: [next, next] }]
    }),
  )
  const hostile: readonly (readonly [unknown, object])[] = [
    [{}, { $ref: '#' }],
    [{}, { $defs: { ...doubled, d40: true }, $ref: '#/$defs/d0' }],
    [list, { anyOf: many({ prefixItems: [true], items: false }) }],
    [list, { allOf: many({ items: true }) }],
    [list, { anyOf: many({ const: list.with(list.length - 1, 1) }) }],
    ['x'.repeat(1_000_000), { allOf: many({ minLength: 1 }) }],
    ['x'.repeat(1_000_000), { enum: many(`${'x'.repeat(999_999)}y`) }],
    [Object.fromEntries(list.entries()), { allOf: many({ minProperties: 1 }) }],
  ]
  for (const [index, [value, schema]] of hostile.entries())
    assert.equal(judgeBySchema(value, schema), 'too_costly', `case ${index}`)
  assert.equal(judgeBySchema(list.slice(0, 50_000), { type: 'array', items: { type: 'integer' } }), true)
})
