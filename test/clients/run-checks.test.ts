import assert from 'node:assert/strict'
import test from 'node:test'
import { inShort, isFailed, runChecks } from './run-checks.ts'
import type { Check } from './workspace.ts'

const print = (): void => undefined

/** A check of three steps; the second fails with `failure`. */
function check(name: string, failure?: string): Check {
  const compile = (): Promise<unknown> =>
    failure === undefined ? Promise.resolve() : Promise.reject(new Error(`${failure}\nin full`))
  return { name, steps: { generate: () => Promise.resolve(), compile, run: () => Promise.resolve() } }
}

test('a check that fails ends at the failed step, and the others run', async () => {
  const { results, flaky } = await runChecks([check('go', 'no compiler'), check('python')], { print })
  const passed = Object.fromEntries(results.map((one) => [one.name, one.passed]))
  assert.deepEqual(passed, { go: 1, python: 3 })
  assert.deepEqual(results.filter(isFailed).map(inShort), ['clients: go: compile - no compiler'])
  assert.deepEqual(flaky, [])
})

test('a check that passes in its second run is flaky, and its steps are counted once', async () => {
  const again = () => [check('go'), check('python')]
  const { results, flaky } = await runChecks([check('go', 'reset'), check('python')], { again, print })
  const passed = results.toSorted((a, b) => a.name.localeCompare(b.name)).map((one) => [one.name, one.passed])
  assert.deepEqual(passed, [
    ['go', 3],
    ['python', 3],
  ])
  assert.deepEqual(results.filter(isFailed), [])
  assert.deepEqual(flaky.map(inShort), ['clients: go: compile - reset'])
})

test('a check that fails twice is failed with the message of the second run, and not flaky', async () => {
  const { results, flaky } = await runChecks([check('go', 'first')], { again: () => [check('go', 'second')], print })
  assert.deepEqual(results.filter(isFailed).map(inShort), ['clients: go: compile - second'])
  assert.deepEqual(flaky, [])
})

test('without a failure nothing runs again', async () => {
  const again = () => assert.fail('it ran again')
  const { results } = await runChecks([check('go')], { again, print })
  assert.equal(results.length, 1)
})
