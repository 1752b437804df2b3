import assert from 'node:assert/strict'
import test from 'node:test'
import { parseDimensions, toGrouping } from './group-by.ts'

const grouping = (text: string, top?: number) => toGrouping(parseDimensions(text), new Map(), top)

test('K7: groupBy is one or two known groupings or keys of labels; anything else is a 400 that names it', () => {
  for (const text of [
    'agent',
    'subject',
    'model',
    'provider',
    'namespace',
    'day',
    'label:team',
    'label:a.example/Cost_Center.1',
    'tenant',
    'day,agent',
    'label:a,label:b',
  ])
    assert.ok(grouping(text).by.length > 0, text)
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
    'day,',
    ',day',
    'day,day',
    'day,agent,model',
    ','.repeat(600),
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
      () => parseDimensions(text),
      (error: { code?: string; errors?: readonly { pointer: string }[] }) =>
        error.code === 'invalid_query' && error.errors?.[0]?.pointer === '?groupBy',
      JSON.stringify(text),
    )
})

test('a group shows what it has in common, and a missing label differs from an empty one', () => {
  assert.deepEqual(grouping('agent').show(['default', 'one', 'u']), {
    namespace: 'default',
    agent: { name: 'one', uid: 'u' },
  })
  assert.deepEqual(grouping('agent').show(['default', '', '']), { namespace: 'default', agent: null })
  assert.deepEqual(grouping('subject').show(['']), { subject: null })
  assert.deepEqual(grouping('subject').show(['ann']), { subject: 'ann' })
  assert.deepEqual(
    ['', '=', '==x'].map((key) => grouping('label:a').show([key])),
    [{ label: null }, { label: '' }, { label: '=x' }],
  )
})

test('two dimensions are both shown, and only the last one has a group of others', () => {
  const both = grouping('day,agent')
  assert.deepEqual(both.by, ['day', 'namespace', 'agent', 'agent_uid'])
  assert.deepEqual(both.show(['2026-11-20', 'default', 'one', 'u']), {
    day: '2026-11-20',
    namespace: 'default',
    agent: { name: 'one', uid: 'u' },
  })
  const cut = grouping('day,model', 3)
  assert.deepEqual(cut.top, { count: 3, from: 1 })
  assert.deepEqual(cut.show(['2026-11-20', '', 'm-1']), { day: '2026-11-20', model: 'm-1', other: false })
  assert.deepEqual(cut.show(['2026-11-20', '1', '']), { day: '2026-11-20', other: true })
})
