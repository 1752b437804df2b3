import assert from 'node:assert/strict'
import test from 'node:test'
import { Compile } from 'typebox/schema'
import { describeApi } from '#core/host/role/describe-api.ts'
import { describeGaps, findGaps } from '#core/http/openapi/document-gaps.ts'
import { asObject } from '#core/json/is-object.ts'
import { plugins } from '#plugins/index.ts'

const document = asObject(await describeApi(plugins, '1.2.3'))
const operations = Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
  Object.entries(asObject(methods)).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation: asObject(operation),
  })),
)

// An object with fields has these only, so that an example does not show one that no response has.
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return 'properties' in inner && !('additionalProperties' in inner) ? { ...inner, additionalProperties: false } : inner
}

const components = closed(document.components)

/** Each example of a body with the schema that it must fit. */
function examplesOf(operation: Readonly<Record<string, unknown>>) {
  const succeeded = Object.entries(asObject(operation.responses)).filter(([status]) => status.startsWith('2'))
  return [...succeeded, ['request', operation.requestBody] as const].flatMap(([name, body]) =>
    Object.entries(asObject(asObject(body).content)).flatMap(([type, value]) => {
      const { schema, example, examples } = asObject(value)
      const named = Object.values(asObject(examples)).map((one) => asObject(one).value)
      return [...(example === undefined ? [] : [example]), ...named].map((shown) => ({ name, type, schema, shown }))
    }),
  )
}

test('R2-UX-25: every body has an example, every parameter and every field a description', () => {
  const gaps = findGaps(document)
  assert.deepEqual(describeGaps(gaps), [])
  assert.ok(gaps.bodies.count > 100 && gaps.parameters.count > 250 && gaps.fields.count > 2_500, JSON.stringify(gaps))
})

test('R2-UX-25: every example fits its schema, without a field that the schema does not have', () => {
  const wrong = operations.flatMap(({ route, operation }) =>
    examplesOf(operation).flatMap(({ name, type, schema, shown }) => {
      const checker = Compile({ ...asObject(closed(schema)), components } as never)
      if (checker.Check(shown)) return []
      const [, errors] = checker.Errors(shown)
      return [`${route} ${name} ${type}: ${JSON.stringify(errors.slice(0, 3))}`]
    }),
  )
  assert.deepEqual(wrong, [])
})

test('R2-UX-25: examples are of invented people and objects', () => {
  const shown = JSON.stringify(operations.flatMap(({ operation }) => examplesOf(operation).map((one) => one.shown)))
  assert.doesNotMatch(shown, /eyJ|BEGIN [A-Z ]*PRIVATE|sk-[A-Za-z0-9]{8}/)
  const addresses = shown.match(/[\w.-]+@[\w.-]+/g) ?? []
  assert.deepEqual(
    addresses.filter((address) => !/@(?:example\.com|\d{4}-\d\d-\d\d)$/.test(address)),
    [],
  )
})

test('R2-UX-22: every group of the documentation has an operation', () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags as string[]))
  const groups = (document.tags as readonly { readonly name: string }[]).map(({ name }) => name)
  assert.deepEqual(groups, [...used].toSorted())
})
