import assert from 'node:assert/strict'
import test from 'node:test'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { toPageList } from './console-pages.ts'

const page = { id: 'notes', title: 'Notes', section: 'Build', path: '/notes', capability: 'notes' }
const declared = [{ name: 'notes', console: [page] }] as readonly object[] as readonly AnyPlugin[]
const room = (plugin: string, id: string, ...paths: readonly string[]) => ({
  path: `plugins/${plugin}/console/page.ts`,
  exports: { [`${plugin}Pages`]: { id, routes: paths.map((path) => ({ path })) } },
})

test('an entry that its plugin does not declare ends the generation with plugin, file and cause', () => {
  for (const [given, message] of [
    [
      room('notes', 'noets', '/notes'),
      'plugin notes (plugins/notes/console/page.ts): its console entry "noets" is not in the slot console of the plugin; did you mean notes?',
    ],
    [
      room('other', 'notes', '/notes'),
      'plugin other (plugins/other/console/page.ts): its console entry "notes" is not in the slot console of the plugin',
    ],
    [
      room('notes', 'notes', '/notes', '/notesque'),
      'plugin notes (plugins/notes/console/page.ts): its console entry "notes" has the path "/notesque", which is not /notes or below',
    ],
  ] as const)
    assert.throws(() => toPageList([given], declared), { message })
})

test('the list imports each entry', () => {
  const list = toPageList([room('notes', 'notes', '/notes', '/notes/$id')], declared)
  assert.match(list, /^import \{ notesPages \} from '\.\.\/plugins\/notes\/console\/page\.ts'$/m)
  assert.match(list, /^export const pluginPages: readonly ConsolePages\[\] = \[notesPages\]$/m)
})
