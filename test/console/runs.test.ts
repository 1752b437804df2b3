import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { waitOf } from '#ui/api/retry-wait.ts'
import { holdRows } from '../../plugins/runs/console/list/held-rows.ts'
import { rangeOf, setFilters, toRunListQuery, withoutFilters } from '../../plugins/runs/console/list/run-search.ts'

test('rows that are read stay in their place, as they are now; newer ones wait', () => {
  const row = (id: string, state = 'running') => ({ id, state })
  const held = [row('b'), row('a')]
  assert.deepEqual(holdRows(held, [row('d'), row('c'), row('b', 'failed')]), {
    rows: [row('b', 'failed'), row('a')],
    waiting: 2,
  })
  assert.deepEqual(holdRows(held, []), { rows: held, waiting: 0 })
})

test('the address is the query of the list; a range that is none is the default', () => {
  const now = Date.UTC(2026, 10, 24)
  assert.deepEqual(rangeOf({}), { from: '24h' })
  assert.deepEqual(rangeOf({ from: '<script>' }), { from: '24h' })
  assert.deepEqual(rangeOf({ from: '2026-11-24T00:00:00Z', to: '2026-11-01T00:00:00Z' }), { from: '24h' })
  const query = toRunListQuery({ from: '6h', agent: 'triage', state: 'failed', other: 'x', cursor: 'c' }, now)
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  assert.deepEqual(given, { scope: 'permitted', agent: 'triage', state: 'failed', from: '2026-11-23T18:00:00.000Z' })
  const inNamespace = toRunListQuery({ namespace: 'support' }, now)
  assert.deepEqual([inNamespace['namespace'], inNamespace['scope']], ['support', undefined])
  assert.deepEqual(setFilters({ q: 'x', from: '6h', parent: 'y' }), ['parent', 'q'])
  assert.ok(Object.values(withoutFilters()).every((value) => value === undefined))
})

test('a lost stream is opened again after a growing wait, or when the server asks to', () => {
  assert.equal(
    waitOf(undefined, 0, () => 1),
    500,
  )
  assert.equal(
    waitOf(undefined, 3, () => 0),
    2000,
  )
  assert.equal(
    waitOf(new Error('gone'), 1e9, () => 1),
    15_000,
  )
  const busy = new ApiProblem({ status: 429, title: 'Busy', detail: 'Wait.', retryAfter: 20 })
  assert.equal(
    waitOf(busy, 0, () => 1),
    20_000,
  )
})
