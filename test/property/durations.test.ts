import assert from 'node:assert/strict'
import test from 'node:test'
import { compileSchema } from '@mesh.dev/embedded-apiserver/schema'
import fc from 'fast-check'
import { Type } from 'typebox'
import { checkOf } from '#core/validation/validate.ts'
import { checkValue } from '#schemas/agent-file/check-schema.ts'
import { InvokeBody } from '#schemas/api/run-requests.ts'
import { toStructuralSchema } from '#schemas/kinds/crd-schema.ts'
import { MAX_TIMER_MS, durationBounds, durationProblem, durationToMs } from '#schemas/values/duration.ts'
import type { DurationBounds } from '#schemas/values/duration.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { duration, durationText } from '#schemas/kinds/parts.ts'

const kinds = kindsOf(plugins)

const numRuns = Number(process.env.MESH_PROPERTY_RUNS ?? 200)

const count = fc.oneof(fc.nat(40), fc.nat(2_200_000_000), fc.constantFrom(23, 24, 25, 575, 576, 577, 999_999_999))
const part = fc.tuple(count, fc.constantFrom('ms', 's', 'm', 'h', 'd')).map(([n, unit]) => `${n}${unit}`)
const written = fc.array(part, { minLength: 0, maxLength: 6 }).map((parts) => parts.join(''))
const rest = (unit: string, max: number) => fc.option(fc.nat(max).map((n) => `${n}${unit}`)).map((some) => some ?? '')
const days = fc.oneof(fc.nat(30), fc.nat(4000), fc.constantFrom(23, 24, 3649, 3650)).map((n) => `${n}d`)
const withDays = fc
  .tuple(days, rest('h', 24), rest('m', 60), rest('s', 60), rest('ms', 1000))
  .map((parts) => parts.join(''))
const text = fc.oneof(
  { weight: 4, arbitrary: written },
  { weight: 4, arbitrary: withDays },
  { weight: 1, arbitrary: fc.string({ maxLength: 70 }) },
)

const bounds = Object.entries(durationBounds) as [string, DurationBounds][]

/** Whether each door accepts a text: the BFF, the agent file, the CRD as the embedded API server reads it. */
function doors(of: DurationBounds) {
  const check = checkOf(Type.Object({ timeout: durationText(of, 'A wait.') }))
  const spec = { type: 'object', properties: { timeout: toStructuralSchema(duration(of, 'A wait.')) } }
  const crd = compileSchema({ type: 'object', properties: { spec } })
  const object = { apiVersion: 'v1', kind: 'Wait', metadata: { name: 'one' } }
  return (given: string): readonly boolean[] => [
    check({ timeout: given }).length === 0,
    [...checkValue({ ...durationText(of, 'A wait.') }, given)].length === 0,
    crd.validate({ ...object, spec: { timeout: given } }).length === 0,
  ]
}

test('UXH10, F9: every door accepts the same durations, all within their bounds', () => {
  for (const [name, of] of bounds) {
    const accepts = doors(of)
    fc.assert(
      fc.property(text, (given) => {
        const inBounds = durationProblem(given, of) === undefined
        assert.deepEqual(accepts(given), [inBounds, inBounds, inBounds], `${name}: ${JSON.stringify(given)}`)
        if (!inBounds) return
        const ms = durationToMs(given) ?? Number.NaN
        assert.ok(ms >= (durationToMs(of.min) ?? 0) && ms <= (durationToMs(of.max) ?? 0), `${name}: ${given}`)
      }),
      { numRuns },
    )
  }
})

test('F9: no accepted duration that becomes a timer overflows one', () => {
  const compared = new Set(['retention', 'share', 'traceDuration', 'shownDuration', 'statsInterval'])
  const timers = bounds.filter(([name]) => !compared.has(name))
  assert.equal(timers.length, bounds.length - compared.size)
  for (const [name, { min, max }] of timers) {
    assert.ok((durationToMs(max) ?? Infinity) <= MAX_TIMER_MS, name)
    assert.ok((durationToMs(min) ?? 0) > 0, `${name} must refuse 0s`)
  }
})

test('UXH10: 0s, 30d, 50d and 60d are refused by a message that names the maximum', () => {
  const check = checkOf(InvokeBody)
  for (const timeout of ['0s', '30d', '50d', '60d', 'soon', '', '24d24d']) {
    const body = { agent: { namespace: 'default', name: 'a' }, input: 'x', timeout }
    assert.equal(check(body)[0]?.pointer, '/timeout', timeout)
    if (timeout !== '')
      assert.deepEqual(check(body), [
        { pointer: '/timeout', detail: 'must be a duration from 1ms to 24h, such as 30s or 10m' },
      ])
  }
})

interface Node {
  readonly [key: string]: unknown
}

function* fieldsOf(schema: unknown, path: string): Generator<[string, Node]> {
  if (typeof schema !== 'object' || schema === null) return
  const node = schema as Node
  yield [path, node]
  for (const [key, field] of Object.entries((node['properties'] ?? {}) as Node))
    yield* fieldsOf(field, `${path}.${key}`)
  yield* fieldsOf(node['items'], `${path}[]`)
  // The cluster bounds a quantity, whose number is no count.
  if (node['x-kubernetes-int-or-string'] === true) return
  for (const branch of (node['anyOf'] ?? []) as Node[]) yield* fieldsOf(branch, path)
}

test('F9: every duration and every count in the spec of a kind has bounds', () => {
  const fields = kinds.flatMap((kind) => [...fieldsOf(kind.spec, kind.kind)])
  const durations = fields.filter(([, { pattern }]) => typeof pattern === 'string' && pattern.includes('(ms|s|m|h)'))
  assert.ok(durations.length >= 5, `${durations.length}`)
  for (const [path, node] of durations) assert.ok(node['x-mesh-duration'], `${path} has no bounds`)
  const counts = fields.filter(([, node]) => node['type'] === 'integer' && !('x-kubernetes-int-or-string' in node))
  const free = new Set(['seed']) // a number for the provider, not a count
  for (const [path, node] of counts)
    assert.ok(typeof node['maximum'] === 'number' || free.has(path.split('.').at(-1) ?? ''), `${path} has no maximum`)
})
