import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'
import { fieldsOfDocument, fieldsWithValues } from './response-fields.ts'

const folder = process.env['MESH_TEST_FIELDS']
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const declared = fieldsOfDocument(JSON.parse(read('../../../docs/reference/openapi.json')))
const unfilled: Readonly<Record<string, string>> = parse(read('unfilled.yaml')) ?? {}

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

// The runner runs this file last, with what all others noted.
const skip = folder === undefined ? 'only a whole run notes the fields of all responses' : false

test('R2-M4: every field of a response has a value other than null in at least one test', { skip }, () => {
  const noted = readdirSync(folder ?? '').flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').split('\n'))
  const filled = new Set(noted)
  const missing = declared.filter((field) => !filled.has(field) && !(field in unfilled))
  assert.deepEqual(missing, [], `no test fills ${missing.length} of ${declared.length} fields`)
})
