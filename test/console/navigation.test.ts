import assert from 'node:assert/strict'
import test from 'node:test'
import { pageAt, refusalOf, sectionsOf } from '../../ui/app/navigation/navigation.ts'

const page = (id: string, section = 'Quality') => ({ id, title: id, section, path: `/${id}`, capability: id })
const entries = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id }))

test('the navigation has the pages of the server that the caller may see, and those that are off last', () => {
  const sections = sectionsOf(
    {
      pages: [
        page('a'),
        page('b'),
        page('c', 'Observe'),
        page('d'),
        page('unknown', 'Build'),
        // A tab of another page.
        { ...page('e'), tabOf: 'run' },
      ],
      capabilities: [
        { id: 'a', enabled: false, reason: 'unconfigured' },
        { id: 'b', enabled: true },
        { id: 'c', enabled: false, reason: 'denied' },
      ],
    },
    entries,
  )
  assert.deepEqual(
    sections.map(({ title, pages }) => [title, pages.map(({ page: { id }, reason }) => [id, reason])]),
    [
      [
        'Quality',
        [
          ['b', undefined],
          ['a', 'unconfigured'],
          ['d', 'disabled'],
        ],
      ],
    ],
  )
})

test('sections stand in the order of the console; one that it does not know is before the last', () => {
  const pages = [
    page('a', 'Settings'),
    page('b', 'Third party'),
    page('c', 'Observe'),
    page('d', 'Build'),
    page('e', ''),
  ]
  const capabilities = pages.map(({ id }) => ({ id, enabled: true }))
  assert.deepEqual(
    sectionsOf({ pages, capabilities }, entries).map(({ title }) => title),
    ['', 'Build', 'Observe', 'Third party', 'Settings'],
  )
})

test('the page of a path is the one below whose path it lies', () => {
  const pages = [page('a'), { ...page('b'), path: '/a/b' }]
  assert.deepEqual(
    ['/a', '/a/x', '/a/b/c', '/ab', '/'].map((path) => pageAt(path, pages)?.id),
    ['a', 'a', 'b', undefined, undefined],
  )
})

test('a page that the caller cannot use says which right or setting it needs', () => {
  const right = { verb: 'list', resource: 'tenants', group: 'mesh.dev' }
  const capabilities = [
    { id: 'a', enabled: false, reason: 'denied' as const, requires: right },
    { id: 'b', enabled: false, reason: 'unconfigured' as const, setting: 'DATABASE_URL' },
    { id: 'c', enabled: true, requires: right },
  ]
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => refusalOf(page(id), capabilities)),
    [
      { reason: 'denied', right, setting: undefined },
      { reason: 'unconfigured', right: undefined, setting: 'DATABASE_URL' },
      undefined,
      { reason: 'disabled' },
    ],
  )
})
