import assert from 'node:assert/strict'
import test from 'node:test'
import { Compile } from 'typebox/schema'
import { mockResponse } from './mock-response.ts'
import { shortestMatch } from './shortest-match.ts'
import { smallestInstance } from './smallest-instance.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'

test('the smallest instance is valid for its schema', () => {
  const cases: [object, unknown][] = [
    [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { $ref: '#/$defs/x' } },
        $defs: { x: { enum: ['one', 'two'] } },
      },
      { a: 'one' },
    ],
    [{ type: 'array', minItems: 2, items: { type: 'integer', minimum: 3 } }, [3, 3]],
    [{ type: 'string', minLength: 3 }, 'aaa'],
    [{ type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }, 'a'],
    [{ type: 'string', pattern: '^v[0-9]{2,4}(-rc)?$' }, 'v00'],
    [{ type: 'number', exclusiveMinimum: 1, multipleOf: 0.5 }, 1.5],
    [{ type: 'integer', maximum: -5 }, -6],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, false],
    [
      {
        allOf: [
          { type: 'object', required: ['a'], properties: { a: { const: 1 } } },
          { required: ['b'], properties: { b: { const: 2 } } },
        ],
      },
      { a: 1, b: 2 },
    ],
    [{ type: ['string', 'null'] }, ''],
    [{ type: 'object', minProperties: 1, properties: { a: { type: 'null' } } }, { a: null }],
    [{ type: 'string', format: 'date-time' }, '1970-01-01T00:00:00Z'],
  ]
  for (const [schema, expected] of cases) {
    assert.deepEqual(smallestInstance(schema), expected)
    assert.ok(Compile(schema).Check(expected), JSON.stringify(schema))
  }
})

test('a recursive schema has a finite instance', () => {
  const schema = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
  }
  assert.equal(typeof smallestInstance(schema), 'object')
})

test('the smallest instance of an agent spec is valid, so that generate works without a key', () => {
  const schema = JSON.parse(JSON.stringify(AgentDeployment.spec)) as object
  const instance = smallestInstance(schema)
  assert.ok(Compile(schema).Check(instance))
})

test('an unsupported pattern has no match', () => {
  for (const pattern of ['^(?=a)b$', '(', '\\k<x>', '^(a)\\1$'])
    assert.equal(shortestMatch(pattern), undefined, pattern)
})

test('the reply is MOCK_OK without a script, and a script calls offered tools once per user message', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'the time, please' }] }
  const script = [{ contains: 'time', toolCalls: [{ name: 'time' }], reply: 'late' }, { reply: 'else' }]
  const tools = [{ type: 'function', function: { name: 'time' } }]
  assert.equal(mockResponse({ messages: [user] }).text, 'MOCK_OK')
  assert.deepEqual(mockResponse({ messages: [user], tools }, script).toolCalls, [{ name: 'time', arguments: {} }])
  assert.equal(mockResponse({ messages: [user] }, script).text, 'late')
  assert.equal(mockResponse({ messages: [user, { role: 'tool', content: 'x' }], tools }, script).text, 'late')
  assert.equal(mockResponse({ messages: [{ role: 'user', content: 'hi' }], tools }, script).text, 'else')
  assert.equal(mockResponse({ messages: [user], response_format: { type: 'json_object' } }, script).text, '{}')
})

test('a step of a script may depend on the system prompt', () => {
  const script = [{ contains: 'Ada', systemContains: 'friendly', reply: 'Welcome, Ada!' }, { reply: 'Next.' }]
  const reply = (system: readonly object[], input: string) =>
    mockResponse({ messages: [...system, { role: 'user', content: input }] }, script).text
  const friendly = { role: 'system', content: 'You are friendly.' }
  const parts = [{ type: 'text', text: 'You are friendly.' }]
  assert.equal(reply([friendly], 'I am Ada.'), 'Welcome, Ada!')
  assert.equal(reply([{ role: 'developer', content: parts }], 'I am Ada.'), 'Welcome, Ada!')
  assert.equal(reply([friendly], 'I am Bob.'), 'Next.')
  assert.equal(reply([{ role: 'system', content: 'You are curt.' }], 'I am Ada.'), 'Next.')
  assert.equal(reply([], 'I am Ada, and friendly.'), 'Next.')
})
