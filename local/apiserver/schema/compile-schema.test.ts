import assert from 'node:assert/strict'
import test from 'node:test'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { compileSchema } from './compile-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const spec: JsonSchema = {
  type: 'object',
  required: ['size'],
  'x-kubernetes-validations': [
    { rule: 'self.size < 10 || has(self.big)', message: 'too big' },
    {
      rule: 'self.size >= oldSelf.size',
      message: 'must not shrink',
      fieldPath: '.size',
      reason: 'FieldValueForbidden',
    },
    { rule: '!has(self.pat) || self.pat.matches("^[a-z.matches(]+$")', messageExpression: '"odd: " + self.pat' },
  ],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 100 },
    big: { type: 'boolean' },
    color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    pat: { type: 'string', minLength: 2, maxLength: 8 },
    word: { type: 'string', pattern: '^[a-z]+$' },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' }, maxItems: 4 },
    env: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, value: { type: 'string', default: 'v' } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    none: { type: 'string', nullable: true },
    when: { type: 'string', format: 'date-time' },
    either: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
  },
}
const schema = compileSchema({ type: 'object', properties: { spec } })
const widget = (given: Json, more: JsonObject = {}): KubeObject => ({
  apiVersion: 't.dev/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
  spec: given,
  ...more,
})
const causes = (given: Json, old?: Json) =>
  schema
    .validate(widget(given), old === undefined ? undefined : widget(old))
    .map((each) => `${each.field}: ${each.message}`)
const SKIPPED =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

test("schema: refusals carry the real server's texts", () => {
  const table: [JsonObject, string[]][] = [
    [{}, ['spec.size: Required value', SKIPPED]],
    [
      { size: 'a' },
      ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"', SKIPPED],
    ],
    [{ size: 0 }, ['spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1']],
    [{ size: 1, color: 'green' }, ['spec.color: Unsupported value: "green": supported values: "red", "blue"', SKIPPED]],
    [{ size: 1, word: 'A' }, ['spec.word: Invalid value: "A": spec.word in body should match \'^[a-z]+$\'']],
    [{ size: 1, pat: 'abcdefghi' }, ['spec.pat: Too long: may not be more than 8 bytes', SKIPPED]],
    [
      { size: 1, port: true },
      ['spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"', SKIPPED],
    ],
    [{ size: 1, tags: ['a', 'b', 'a', 'a'] }, ['spec.tags[2]: Duplicate value: "a"']],
    [{ size: 1, env: [{ name: 'a' }, { name: 'a' }] }, ['spec.env[1]: Duplicate value: {"name":"a"}']],
    [
      { size: 1, when: 'yesterday' },
      ['spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"', SKIPPED],
    ],
    [{ size: 50 }, ['spec: Invalid value: too big']],
    [{ size: 1, pat: 'AB' }, ['spec: Invalid value: odd: AB']],
    [
      { size: 1, either: { a: '1', b: '2' } },
      [
        '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [{ size: 1, port: 80, none: null, tags: ['a'], labels: { a: 'b' } }, []],
  ]
  for (const [given, expected] of table) assert.deepEqual(causes(given), expected, JSON.stringify(given))
})

test('schema: an update sees oldSelf, and unchanged values are not validated', () => {
  assert.deepEqual(causes({ size: 1 }, { size: 2 }), ['spec.size: Forbidden: must not shrink'])
  assert.deepEqual(causes({ size: 3 }, { size: 2 }), [])
  assert.deepEqual(causes({ size: 50 }, { size: 50 }), [])
  assert.deepEqual(causes({ size: 2, word: 'A' }, { size: 1, word: 'A' }), [])
  assert.deepEqual(causes({ size: 2, word: 'B' }, { size: 1, word: 'A' }).length, 1)
})

test('schema: unknown fields are reported, and pruned where the schema is closed', () => {
  const given = widget(
    { size: 1, zork: 1, env: [{ name: 'a', q: 1 }], free: { any: { thing: 1 } }, labels: { a: 'b' } },
    { extra: true },
  )
  Object.assign(given.metadata, { zork: 1 })
  assert.deepEqual(schema.unknownFields(given), ['extra', 'metadata.zork', 'spec.env[0].q', 'spec.zork'])
  const pruned = schema.prune(structuredClone(given))
  assert.deepEqual(pruned, widget({ size: 1, env: [{ name: 'a' }], free: { any: { thing: 1 } }, labels: { a: 'b' } }))
  assert.deepEqual(schema.unknownFields(pruned), [])
})

test('schema: defaults replace absent values and nulls, except nullable nulls', () => {
  const filled = schema.default(widget({ size: 1, color: null, none: null, big: null, env: [{ name: 'a' }] }))
  assert.deepEqual(filled['spec'], { size: 1, color: 'red', none: null, env: [{ name: 'a', value: 'v' }] })
})

test('X2: a hostile pattern takes linear time', () => {
  const slow = compileSchema({
    type: 'object',
    properties: {
      spec: { type: 'string', pattern: '^(a+)+$', 'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$')" }] },
    },
  })
  const started = performance.now()
  assert.equal(slow.validate(widget(`${'a'.repeat(2_000)}!`)).length, 2)
  // An engine that goes back would not end.
  assert.ok(performance.now() - started < 60_000)
})
