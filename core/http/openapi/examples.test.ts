import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { described, exemplified } from '#schemas/values/described.ts'
import { shownAs } from '#schemas/values/shown-as.ts'
import { describeGaps, findGaps } from './document-gaps.ts'
import { exampleOf } from '#schemas/values/example-of.ts'

const name = described(Type.String(), 'A name.', 'hello')

test('R2-UX-25: an example is made of the examples of the parts of a schema', () => {
  const schema = Type.Object({
    items: Type.Array(Type.Object({ name, parent: exemplified(Type.Union([name, Type.Null()]), null) })),
    state: Type.Enum(['open', 'closed']),
    limit: Type.Optional(Type.Integer({ default: 50 })),
    note: Type.Optional(Type.String()),
    next: Type.Union([Type.String(), Type.Null()]),
    spec: shownAs(Type.Unknown(), Type.Object({ kind: Type.Literal('Agent') })),
  })
  assert.deepEqual(exampleOf(schema)?.value, {
    items: [{ name: 'hello', parent: null }],
    state: 'open',
    limit: 50,
    next: null,
    spec: { kind: 'Agent' },
  })
})

test('R2-UX-25: a required part without an example leaves the whole without one', () => {
  assert.equal(exampleOf(Type.Object({ name, text: Type.String() })), undefined)
  assert.equal(exampleOf(Type.Array(Type.String())), undefined)
})

test('R2-UX-25: a described schema stays optional, and the described one is unchanged', () => {
  const optional = Type.Optional(Type.String())
  const { required } = Type.Object({ name, note: described(optional, 'A note.') })
  assert.deepEqual(required, ['name'])
  assert.equal('description' in optional, false)
})

const documentOf = (media: object, field: object, parameter: object) => ({
  paths: {
    '/things': {
      get: {
        parameters: [{ name: 'limit', in: 'query', ...parameter }, { $ref: '#/components/parameters/page' }],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' }, ...media } } },
          404: { content: { 'application/problem+json': {} } },
        },
      },
    },
  },
  components: {
    parameters: { page: { name: 'page', in: 'query', description: 'A page.' } },
    schemas: { Thing: { type: 'object', properties: { name: field, self: { $ref: '#/components/schemas/Thing' } } } },
  },
})

test('R2-UX-25: gaps are bodies without an example, and parameters and fields without a description', () => {
  const bare = documentOf({}, { type: 'string' }, {})
  assert.deepEqual(describeGaps(findGaps(bare)), [
    '1 of 1 bodies have no example:',
    '  GET /things 200 application/json',
    '1 of 2 parameters have no description:',
    '  GET /things limit',
    '2 of 2 fields have no description:',
    '  /components/schemas/Thing/properties/name',
    '  /components/schemas/Thing/properties/self',
  ])
  const whole = documentOf({ example: null }, { description: 'A name.' }, { description: 'A limit.' })
  Object.assign(whole.components.schemas.Thing, { description: 'A thing.' })
  assert.deepEqual(describeGaps(findGaps(whole)), [])
})
