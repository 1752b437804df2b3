import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { toTenants } from './by-tenant.ts'
import { parseGroupBy } from './group-by.ts'

test('K7: groupBy is a known grouping or a key of a label; anything else is a 400 that names it', () => {
  for (const text of [
    'agent',
    'subject',
    'model',
    'provider',
    'namespace',
    'day',
    'label:team',
    'label:a.example/Cost_Center.1',
  ])
    assert.ok(parseGroupBy(text).by.length > 0, text)
  const bad = [
    '',
    'agents',
    'label:',
    'label:/a',
    'label:a/',
    'label:a/b/c',
    'label:-a',
    'label:a-',
    'label:A.b/c',
    'tenant ',
  ]
  const hostile = [
    '__proto__',
    'constructor',
    'label:a\u0000',
    'label:\ud800',
    "label:'",
    `label:${'a'.repeat(64)}`,
    'label:ä',
  ]
  for (const text of [...bad, ...hostile])
    assert.throws(
      () => parseGroupBy(text),
      (error: { code?: string; errors?: readonly { pointer: string }[] }) =>
        error.code === 'invalid_query' && error.errors?.[0]?.pointer === '?groupBy',
      JSON.stringify(text),
    )
})

test('a group shows what it has in common, and a missing label differs from an empty one', () => {
  assert.deepEqual(parseGroupBy('agent').show(['default', 'one', 'u']), {
    namespace: 'default',
    agent: { name: 'one', uid: 'u' },
  })
  assert.deepEqual(parseGroupBy('agent').show(['default', '', '']), { namespace: 'default', agent: null })
  assert.deepEqual(parseGroupBy('subject').show(['']), { subject: null })
  assert.deepEqual(parseGroupBy('subject').show(['ann']), { subject: 'ann' })
  assert.deepEqual(
    ['', '=', '==x'].map((key) => parseGroupBy('label:a').show([key])),
    [{ label: null }, { label: '' }, { label: '=x' }],
  )
})

test('the cost of tenants is that of their namespaces', () => {
  const namespaces = fc.constantFrom('a', 'b', 'c', 'd')
  const tenants = new Map([
    ['a', 'one'],
    ['b', 'one'],
    ['c', 'two'],
  ])
  fc.assert(
    fc.property(fc.array(fc.tuple(namespaces, fc.nat(1000))), (given) => {
      const sums = { unpriced: '0', pending: '0', input: '0', output: '0', cached: '0', reasoning: '0', micros: {} }
      const found = toTenants(
        given.map(([namespace, calls]) => ({ keys: [namespace], calls: String(calls), ...sums })),
        tenants,
      )
      const of = (tenant: string) => given.filter(([namespace]) => (tenants.get(namespace) ?? '') === tenant)
      for (const { tenant, calls } of found)
        assert.equal(
          Number(calls),
          of(tenant).reduce((sum, [, count]) => sum + count, 0),
        )
      assert.equal(
        found.reduce((sum, { calls }) => sum + Number(calls), 0),
        given.reduce((sum, [, count]) => sum + count, 0),
      )
    }),
  )
})
