import assert from 'node:assert/strict'
import test from 'node:test'
import type { CustomResourceDefinition } from '../kinds/custom-kinds.ts'
import { startTestServer } from './test-server.ts'
import type { TestServer } from './test-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
type Fields = { readonly [key: string]: unknown }

/** A definition of `plural` with a schema for `spec`. */
function definition(plural: string, spec: unknown): CustomResourceDefinition & Fields {
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.evil.example` },
    spec: {
      group: 'evil.example',
      scope: 'Cluster',
      names: { plural, kind: plural, listKind: `${plural}list` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

/** The status of a request, its text, and that it was answered in time. */
async function timed(server: TestServer, path: string, body: object): Promise<{ code: number; text: string }> {
  // Of this process, in which the server is: a busy machine makes it wait, not work.
  const began = process.cpuUsage()
  const { code, body: answer } = await server.call('POST', path, body)
  const { user, system } = process.cpuUsage(began)
  assert.ok(user + system < 5_000_000, `answered with ${Math.round((user + system) / 1000)} ms of CPU`)
  return { code, text: JSON.stringify(answer) }
}

const define = (server: TestServer, plural: string, spec: unknown) =>
  timed(server, DEFINITIONS, definition(plural, spec))
const write = (server: TestServer, plural: string, spec: unknown) =>
  timed(server, `/apis/evil.example/v1/${plural}`, {
    apiVersion: 'evil.example/v1',
    kind: plural,
    metadata: { name: 'a' },
    spec,
  })

const text = { type: 'string' }
const texts = (more: Fields = {}): Fields => ({ type: 'array', items: text, ...more })
const fields = (properties: Fields, more: Fields = {}): Fields => ({ type: 'object', properties, ...more })

test('X3: a definition that is too deep, too large or has too many rules or defaults is refused', async (t) => {
  const server = await startTestServer(t)
  let deep: unknown = text
  for (let i = 0; i < 80; i += 1) deep = fields({ a: deep })
  const wide = fields(Object.fromEntries(Array.from({ length: 51_000 }, (_, i) => [`f${i}`, text])))
  const rules = { 'x-kubernetes-validations': Array.from({ length: 1_001 }, (_, i) => ({ rule: `self != ${i}` })) }
  const cases: readonly [unknown, RegExp][] = [
    [deep, /nested at most 64 levels/],
    [wide, /at most 50000 schemas/],
    [fields({ a: { type: 'integer', ...rules } }), /at most 1000 rules/],
    [fields({ a: { ...text, default: 'x'.repeat(300_000) } }), /at most 262144 bytes/],
    [fields({ a: { ...text, pattern: 'a'.repeat(5_000) } }), /more than 4096 characters/],
  ]
  for (const [i, [spec, why]] of cases.entries()) {
    const { code, text: answer } = await define(server, `kind${i}s`, spec)
    assert.equal(code, 422, answer)
    assert.ok(why.test(answer), answer.slice(0, 500))
  }
})

test('X2: patterns that backtrack or repeat a repetition end in time', async (t) => {
  const server = await startTestServer(t)
  assert.equal((await define(server, 'slows', fields({ a: { ...text, pattern: '^(a+)+$' } }))).code, 201)
  assert.equal((await write(server, 'slows', { a: `${'a'.repeat(50_000)}!` })).code, 422)
  assert.equal(
    (await define(server, 'larges', fields({ a: { ...text, pattern: '((a{1000}){1000}){1000}' } }))).code,
    422,
  )
})

test('X3: rules of an object stop at their budget, and the next write has one of its own', async (t) => {
  const server = await startTestServer(t)
  const all = 'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c != "x")))'
  const looping = fields({ list: texts({ maxItems: 200 }) }, { 'x-kubernetes-validations': [{ rule: all }] })
  assert.equal((await define(server, 'loops', looping)).code, 201)
  const words = Array.from({ length: 200 }, (_, i) => `w${i}`)
  const refused = await write(server, 'loops', { list: words })
  assert.match(`${refused.code} ${refused.text}`, /^422 .*running out of cost budget/)
  assert.equal((await write(server, 'loops', { list: ['a', 'b'] })).code, 201)
  // Lists of the rule itself are not limited by the schema.
  const numbers = `[${Array.from({ length: 900 }, (_, i) => i).join()}]`
  const literal = { rule: `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, a + b + c >= 0)))` }
  assert.equal((await define(server, 'lists', fields({}, { 'x-kubernetes-validations': [literal] }))).code, 201)
  assert.match((await write(server, 'lists', {})).text, /running out of cost budget/)
})

test('X3: many schemas for many values, and defaults of many items, are refused in time', async (t) => {
  const server = await startTestServer(t)
  const allOf = Array.from({ length: 1_000 }, (_, i) => ({ maxLength: 100 + i }))
  assert.equal(
    (await define(server, 'checks', fields({ list: { type: 'array', items: { ...text, allOf } } }))).code,
    201,
  )
  const many = await write(server, 'checks', { list: Array.from({ length: 5_000 }, () => 'a') })
  assert.match(`${many.code} ${many.text}`, /^422 .*more than 2000000 checks/)
  const big = { ...text, default: 'x'.repeat(100_000) }
  assert.equal(
    (await define(server, 'fills', fields({ list: { type: 'array', items: fields({ a: big }) } }))).code,
    201,
  )
  assert.equal((await write(server, 'fills', { list: Array.from({ length: 10_000 }, () => ({})) })).code, 413)
})

test('X3: definitions with values of other types, odd names and prototype keys are refused or harmless', async (t) => {
  const server = await startTestServer(t)
  const good = definition('odds', fields({}))
  const spec = { ...good.spec }
  const [version] = spec.versions
  const bad: readonly Fields[] = [
    { spec: null },
    { spec: 5 },
    { spec: { ...spec, versions: [null] } },
    { spec: { ...spec, versions: 'v1' } },
    { spec: { ...spec, names: 5 } },
    { spec: { ...spec, names: { plural: ['odds'], kind: {} } } },
    { spec: { ...spec, versions: [{ ...version, schema: [] }] } },
    { spec: { ...spec, versions: [{ ...version, schema: { openAPIV3Schema: 'x' } }] } },
    { spec: { ...spec, versions: [{ ...version, name: 'v\u0000' }] } },
    { spec: { ...spec, versions: [{ ...version, additionalPrinterColumns: [null, 5] }] } },
    { spec: { ...spec, names: { ...spec.names, kind: '\ud800' } } },
    { metadata: { name: 'odds.evil.example\u0000' } },
    { metadata: { name: '__proto__' } },
  ]
  for (const part of bad) {
    const { code, text: answer } = await timed(server, DEFINITIONS, { ...good, ...part })
    assert.ok(code === 400 || code === 422, `${JSON.stringify(part)}: ${code} ${answer}`)
  }
  const nulls = fields({ a: null, b: { type: 'array', items: null }, c: { type: 'object', additionalProperties: 5 } })
  const rules = fields({ a: { ...text, allOf: [null] } }, { 'x-kubernetes-validations': [null, { rule: 5 }] })
  for (const odd of [nulls, rules, [], 'x', null])
    assert.ok([400, 422].includes((await define(server, 'odds', odd)).code), JSON.stringify(odd))
  const holes = fields(
    { a: { ...text, allOf: [null], enum: ['x', null] } },
    { required: [null], 'x-kubernetes-validations': [null] },
  )
  assert.equal((await define(server, 'holes', holes)).code, 201)
  assert.equal((await write(server, 'holes', { a: 'x' })).code, 201)
  assert.equal(
    (await define(server, 'protos', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'))).code,
    400,
  )
  assert.equal(
    (await define(server, 'builders', fields({ constructor: { ...text, default: 'x' }, toString: text }))).code,
    201,
  )
  const written = await write(server, 'builders', { toString: 'y' })
  assert.match(`${written.code} ${written.text}`, /^201 .*"constructor":"x"/)
  assert.equal(Object.hasOwn(Object.prototype, 'type'), false)
})

test('X3: the number of definitions is limited, also with those of the start', async (t) => {
  const crds = Array.from({ length: 500 }, (_, i) => definition(`many${i}s`, fields({})))
  const server = await startTestServer(t, { crds })
  const { code, text: answer } = await define(server, 'onemores', fields({}))
  assert.match(`${code} ${answer}`, /^403 .*at most 500/)
  assert.equal((await server.call('DELETE', `${DEFINITIONS}/many7s.evil.example`)).code, 200)
  assert.equal((await define(server, 'onemores', fields({}))).code, 201)
})
