import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { checkContributions } from '#core/host/load/check-points.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { providers } from '../../index.ts'
import { modelFilter } from '../../contract/points.ts'
import { orderFilters } from './filter-order.ts'
import type { ModelFilter } from '../../contract/model-filter.ts'

const filter = (name: string, more: Partial<ModelFilter> = {}): ModelFilter => ({
  name,
  open: () => undefined,
  ...more,
})

function names(filters: readonly ModelFilter[]): readonly string[] {
  return orderFilters(filters).map(({ name }) => name)
}

function start(...filters: readonly unknown[]): void {
  const declared = filters.map((value) => ({
    owner: 'plugin acme (/x/acme.ts:3:1)',
    plugin: 'acme',
    value: contribute(modelFilter, value as ModelFilter),
  }))
  checkContributions(declared, [
    providers,
    { contract: 1, name: 'acme', settings: Type.Object({}), create: () => ({}) },
  ])
}

test('filters are ordered by before and after, and by name otherwise, however plugins are listed', () => {
  const [a, b] = [filter('acme.a'), filter('acme.b')]
  const [c, d] = [filter('acme.c', { before: ['acme.a'] }), filter('acme.d', { after: ['acme.c'], before: ['acme.b'] })]
  const expected = ['acme.c', 'acme.a', 'acme.d', 'acme.b']
  assert.deepEqual(names([a, b, c, d]), expected)
  assert.deepEqual(names([d, c, b, a]), expected)
})

test('the start refuses filters without an order, with an unknown name or an invalid field, naming the plugin', () => {
  const owner = 'plugin acme (/x/acme.ts:3:1)'
  const cases: readonly (readonly [readonly unknown[], string])[] = [
    [
      [filter('acme.a', { after: ['acme.b'] }), filter('acme.b', { after: ['acme.a'] })],
      'the filters acme.a, acme.b have no order: before and after contradict each other',
    ],
    [
      [filter('acme.a', { before: ['acme.a'] })],
      'the filters acme.a have no order: before and after contradict each other',
    ],
    [
      [filter('acme.a'), filter('acme.mask', { after: ['acme.maks'] })],
      `${owner}: the filter acme.mask refers to the filter "acme.maks", which no plugin contributes; did you mean acme.mask?`,
    ],
    [[filter('acme.a'), filter('acme.a')], `${owner} declares the providers.filter acme.a twice`],
    [[undefined], `${owner}: its filter is not an object`],
    [[filter('other.a')], `${owner}: its filter must have a name such as acme.secrets`],
    [[filter('acme.\u0000')], `${owner}: its filter must have a name such as acme.secrets`],
    [[{ name: 'acme.a' }], `${owner}: its filter acme.a: open must be a function`],
    [
      [filter('acme.a', { after: 'acme.b' as never })],
      `${owner}: its filter acme.a: after must be a list of names of filters`,
    ],
    [
      [filter('acme.a', { onFailure: 'open' as never })],
      `${owner}: its filter acme.a: onFailure must be refuse or pass`,
    ],
    [
      [filter('acme.a', { timeoutMs: 1e9 })],
      `${owner}: its filter acme.a: timeoutMs must be an integer from 1 to 60000`,
    ],
    [
      [filter('acme.a', { timeoutMs: NaN })],
      `${owner}: its filter acme.a: timeoutMs must be an integer from 1 to 60000`,
    ],
  ]
  for (const [filters, message] of cases) assert.throws(() => start(...filters), { name: 'BootError', message })
  start(filter('acme.a'), filter('acme.b', { before: ['acme.a'], timeoutMs: 1, onFailure: 'pass' }))
})
