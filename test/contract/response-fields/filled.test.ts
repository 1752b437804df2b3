import assert from 'node:assert/strict'
import test from 'node:test'
import { declared, unfilled } from './lists.ts'
import { fieldsOfDocument, fieldsWithValues } from './response-fields.ts'

test('R2-M4: fields of responses have the same names in a document and in a response', () => {
  const cost = { title: 'Cost', properties: { amount: {}, note: {} } }
  const page = { properties: { items: { items: cost }, byName: { patternProperties: { '^.*$': cost } } } }
  const endpoint = { method: 'GET', url: '/api/things/:name', response: { 200: page } }
  const value = { items: [{ amount: 1, note: null }], byName: { a: { amount: null } }, extra: 1 }
  assert.deepEqual(fieldsWithValues({ endpoint, status: 200, value }), [
    'GET /api/things/{name} 200.items',
    'Cost.amount',
    'GET /api/things/{name} 200.byName',
  ])
  const ref = { $ref: '#/components/schemas/Cost' }
  const schema = { properties: { items: { items: ref }, byName: { additionalProperties: ref } } }
  const responses = { 200: { content: { 'application/json': { schema } } } }
  const document = {
    paths: { '/api/things/{name}': { get: { responses } } },
    components: { schemas: { Cost: { properties: { amount: {}, note: {} } } } },
  }
  assert.deepEqual(fieldsOfDocument(document), [
    'Cost.amount',
    'Cost.note',
    'GET /api/things/{name} 200.byName',
    'GET /api/things/{name} 200.items',
  ])
})

test('R2-M4: fields below a schema that contains itself are noted at each depth', () => {
  const children = { items: { type: 'object', 'x-mesh-shown-as': { $ref: '#/components/schemas/Span' } } }
  const span = { title: 'Span', properties: { name: {}, links: {}, children } }
  const endpoint = { method: 'GET', url: '/api/trace', response: { 200: { properties: { root: span } } } }
  const root = { name: 'a', links: null, children: [{ children: [{ links: [] }] }] }
  assert.deepEqual(fieldsWithValues({ endpoint, status: 200, value: { root } }), [
    'GET /api/trace 200.root',
    'Span.name',
    'Span.children',
    'Span.links',
  ])
})

test('R2-M4: the list of fields without a value names fields that exist, each with its reason', () => {
  const names = Object.keys(unfilled)
  assert.deepEqual(
    names.filter((name) => !declared.includes(name)),
    [],
  )
  assert.deepEqual(
    names.filter((name) => String(unfilled[name]).length < 20),
    [],
  )
})
