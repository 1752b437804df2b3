import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { describeApi, describeCatalog } from '#core/host/role/describe-api.ts'
import { findGaps } from '#core/http/openapi/document-gaps.ts'
import { findMisnamed } from '#core/http/openapi/operation-names.ts'
import { accessOf } from '#core/plugin/access-of-plugins.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'
import { serveBuiltIn } from '#test/contract/plugins/serve-plugin.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { filesOfPage } from './page-files.ts'

const page = fileURLToPath(new URL('../../docs/how-to/add-a-stored-resource.md', import.meta.url))
const { path: folder, remove } = tempFolder('add-a-stored-resource')
test.after(remove)

async function importPlugin(): Promise<AnyPlugin> {
  const code = filesOfPage(page).get('plugins/notes/index.ts') ?? ''
  // Outside the package its names of modules have no meaning.
  const resolved = code.replaceAll(/from '([^']+)'/g, (_, name: string) => `from '${import.meta.resolve(name)}'`)
  const file = join(folder, 'index.ts')
  writeFileSync(file, resolved)
  return ((await import(file)) as { readonly notes: AnyPlugin }).notes
}

test('R2-UX-4: the plugin of docs/how-to/add-a-stored-resource.md has documented routes, rights, events and errors', async () => {
  const notes = await importPlugin()
  const all = [...plugins, notes]
  const catalog = await describeCatalog(all, '0.0.0')
  assert.deepEqual(findMisnamed(catalog), [])
  const ids = catalog.filter(({ plugin }) => plugin === 'notes').map(({ endpoint: { id } }) => id)
  assert.deepEqual(ids, ['listNotes', 'getNote', 'createNote', 'replaceNote', 'deleteNote'])
  const gaps = findGaps(await describeApi(all, '0.0.0'))
  for (const { missing } of [gaps.bodies, gaps.parameters, gaps.fields])
    assert.deepEqual(
      missing.filter((place) => /note/i.test(place)),
      [],
    )
  assert.deepEqual(
    accessOf(notes).map(({ resource, viewer, developer }) => [resource, viewer, developer]),
    [['notes', ['get', 'list'], ['create', 'update', 'delete']]],
  )
  assert.deepEqual(
    notes.events?.map(({ type, audit }) => [type, audit?.action, audit?.resourceKind]),
    [
      ['dev.mesh.notes.note-created.v1', 'create', 'Note'],
      ['dev.mesh.notes.note-updated.v1', 'update', 'Note'],
      ['dev.mesh.notes.note-deleted.v1', 'delete', 'Note'],
    ],
  )
  assert.deepEqual(Object.keys(notes.errors ?? {}), ['note_exists', 'note_quota_exceeded'])
  assert.deepEqual(notes.requires, ['store'])
})

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: the plugin of the page stores, finds, changes and deletes notes`, { skip }, async (t) => {
    const { ask, count } = await serveBuiltIn(t, open, { plugin: await importPlugin(), path: '/api/notes' })
    const made = await ask('POST', '', { body: { namespace: 'a', name: 'bread', text: 'Buy bread.', topic: 'home' } })
    assert.deepEqual([made.statusCode, made.headers['etag']], [201, '"1"'], made.body)
    const found = await ask('GET', '?namespace=a&topic=home&search=BREAD&order=name')
    assert.deepEqual(
      found.json<{ items: { name: string }[] }>().items.map((note) => note.name),
      ['bread'],
    )
    const dry = await ask('PUT', '/a/bread?dryRun=All', { body: { text: 'Bake bread.' } })
    assert.equal(dry.json<{ text: string }>().text, 'Bake bread.', dry.body)
    assert.equal((await ask('GET', '/a/bread')).json<{ text: string }>().text, 'Buy bread.')
    const changed = await ask('PUT', '/a/bread', { body: { text: 'Bake bread.' }, headers: { 'if-match': '"1"' } })
    assert.deepEqual([changed.statusCode, changed.headers['etag']], [200, '"2"'])
    assert.equal((await ask('DELETE', '/a/bread?dryRun=All')).statusCode, 204)
    assert.equal(await count('notes_notes'), 1)
    assert.equal((await ask('DELETE', '/a/bread')).statusCode, 204)
    assert.equal(await count('notes_notes'), 0)
  })
