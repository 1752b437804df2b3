import assert from 'node:assert/strict'
import test from 'node:test'
import { createCircuit } from './circuit.ts'
import type { Circuit } from './circuit.ts'
import { createCircuits } from './route-circuits.ts'

function setUp(rules = { failures: 3, openMs: 1_000 }) {
  const clock = { now: 0 }
  const changes: string[] = []
  const circuit: Circuit = createCircuit({
    rules: () => rules,
    now: () => clock.now,
    onChange: () => changes.push(circuit.state()),
  })
  const fail = (times: number): void => {
    for (let n = 0; n < times; n++) circuit.enter()?.failed('timeout')
  }
  return { clock, circuit, changes, fail }
}

test('a circuit opens after consecutive failures, which a success ends', () => {
  const { circuit, fail } = setUp()
  fail(2)
  circuit.enter()?.succeeded()
  fail(2)
  assert.deepEqual([circuit.state(), circuit.lastErrorClass()], ['closed', 'timeout'])
  fail(1)
  assert.deepEqual([circuit.state(), circuit.enter(), circuit.waitMs()], ['open', undefined, 1_000])
})

test('one call tries a half-open circuit: its first byte closes it, its failure opens it again', () => {
  const { circuit, clock, fail, changes } = setUp()
  fail(3)
  clock.now = 1_000
  assert.equal(circuit.state(), 'half-open')
  const probe = circuit.enter()
  assert.ok(probe !== undefined)
  assert.equal(circuit.enter(), undefined, 'the others wait')
  probe.failed('provider_error')
  assert.deepEqual([circuit.state(), circuit.waitMs(), circuit.lastErrorClass()], ['open', 1_000, 'provider_error'])
  clock.now = 2_000
  const left = circuit.enter()
  left?.left()
  assert.equal(circuit.state(), 'half-open', 'a caller that leaves says nothing')
  const last = circuit.enter()
  last?.began()
  assert.equal(circuit.state(), 'closed')
  // A stream that breaks off later is one failure of a closed circuit, and the probe has ended.
  last?.failed('broke_off')
  last?.left()
  assert.equal(circuit.state(), 'closed')
  assert.deepEqual(new Set(changes), new Set(['closed', 'open', 'half-open']))
})

test('calls that began before a circuit opened neither close it nor keep it open', () => {
  const { circuit, clock, fail } = setUp()
  const [late, later] = [circuit.enter(), circuit.enter()]
  fail(3)
  clock.now = 900
  late?.failed('timeout')
  later?.succeeded()
  assert.deepEqual([circuit.state(), circuit.waitMs()], ['open', 100])
})

test('circuits of a route outlive a change of its spec, but not their target', () => {
  const circuits = createCircuits(() => 0)
  const target = (name: string) => ({ providerRef: { name }, model: 'm' })
  const route = (generation: number, spec: object) =>
    circuits.ofRoute({ namespace: 'a', name: 'r', uid: 'u', generation, spec: spec as never })
  const first = route(1, { targets: [target('x'), target('y')], circuitBreaker: { failures: 1 } })
  first?.of('a/x', 'm')?.enter()?.failed('timeout')
  assert.equal(first?.of('a/x', 'm')?.state(), 'open')
  const second = route(2, { targets: [target('x'), target('z')] })
  assert.deepEqual(
    second?.targets.map(({ provider, circuit }) => `${provider} ${circuit.state()}`),
    ['a/x open', 'a/z closed'],
  )
  assert.equal(route(3, target('x')), undefined, 'one provider has no circuit')
  assert.equal(route(4, { ...target('x'), circuitBreaker: {} })?.targets.length, 1)
  circuits.forget('u')
  assert.equal(circuits.find('u'), undefined)
})
