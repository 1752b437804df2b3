import assert from 'node:assert/strict'
import test from 'node:test'
import { sectionsOf } from '../../ui/app/navigation.ts'

const page = (id: string, section = 'Quality') => ({ id, title: id, section, path: `/${id}`, capability: id })
const entries = ['a', 'b', 'c', 'd'].map((id) => ({ id }))

test('the navigation has the pages of the server that the caller may see, and those that are off last', () => {
  const sections = sectionsOf(
    {
      pages: [page('a'), page('b'), page('c', 'Observe'), page('d'), page('unknown', 'Build')],
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
