import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { defineStored } from './stored-resource.ts'
import type { StoredSpec } from './stored-spec.ts'
import { storedMigrations } from './stored-tables.ts'

const spec: StoredSpec = {
  plugin: 'notes',
  kind: 'CaseNote',
  plural: 'casenotes',
  description: 'A note.',
  fields: Type.Object({ text: Type.String() }),
  sample: { text: 'x' },
}
const child = { kind: 'NoteReview', description: 'A review.', fields: Type.Object({}), sample: {} }

test('names follow from the declaration, those of a third party with its prefix, domain and group', () => {
  const own = defineStored(spec)
  assert.deepEqual([own.names.table, own.names.resource], ['notes_casenotes', 'casenotes'])
  assert.equal(own.events.created.type, 'dev.mesh.notes.case-note-created.v1')
  assert.deepEqual(
    [own.errors.exists, own.errors.quota].map(({ code, status }) => `${code} ${status}`),
    ['case_note_exists 409', 'case_note_quota_exceeded 429'],
  )
  const other = defineStored({ ...spec, domain: 'com.acme', plugin: 'my-notes', group: 'acme.example' })
  assert.deepEqual([other.names.table, other.names.resource], ['x_my_notes_casenotes', 'casenotes.acme.example'])
  assert.equal(other.events.deleted.type, 'com.acme.my-notes.case-note-deleted.v1')
  assert.deepEqual(other.events.updated.seenBy, { verb: 'get', resource: 'casenotes', group: 'acme.example' })
})

test('each part of a declaration has its own migration', () => {
  const names = (some: Partial<StoredSpec>) =>
    storedMigrations(defineStored({ ...spec, ...some })).map(({ name }) => name)
  assert.deepEqual(names({}), ['stored-casenotes'])
  assert.deepEqual(names({ revisions: {}, children: { reviews: child } }), [
    'stored-casenotes',
    'stored-casenotes-revisions',
    'stored-casenotes-reviews',
  ])
})

test('a declaration that cannot be served is refused with its field', () => {
  const fields = (name: string) => ({ fields: Type.Object({ [name]: Type.String() }) })
  for (const [some, message] of [
    [{ plugin: 'Notes' }, /plugin must be the name/],
    [{ kind: 'note' }, /kind must be in PascalCase/],
    [{ plural: 'case-notes' }, /plural must be lowercase/],
    [{ plural: 'x'.repeat(32) }, /plural must be lowercase/],
    [{ fields: undefined as never }, /fields must be a Type\.Object/],
    [fields('id'), /fields\.id is a field of every object/],
    [fields('createdAt'), /fields\.createdAt is a field/],
    [{ ...fields('labels'), revisions: {} }, /fields\.labels is a field/],
    [{ filters: ['other'] }, /other is not one of its fields/],
    [{ filters: ['toString'] }, /toString is not one of its fields/],
    [{ search: ['other'] }, /other is not one of its fields/],
    [{ labels: 'other' }, /other is not one of its fields/],
    [{ ...fields('order'), filters: ['order'] }, /the filter order is reserved/],
    [{ children: { Reviews: child } }, /children\.Reviews: the step must be/],
    [{ children: { usage: child } }, /children\.usage: the step must be/],
    [{ children: { history: child }, revisions: {} }, /children\.history: the step must be/],
    [{ children: { reviews: { ...child, kind: 'review' } } }, /children\.reviews\.kind/],
    [
      { children: { reviews: { ...child, fields: Type.Object({ id: Type.String() }) } } },
      /children\.reviews\.fields\.id/,
    ],
    [{ plugin: 'x'.repeat(40), plural: 'y'.repeat(31) }, /more than 63 characters/],
  ] as const satisfies readonly (readonly [Partial<StoredSpec>, RegExp])[])
    assert.throws(() => defineStored({ ...spec, ...some } as StoredSpec), { name: 'TypeError', message })
})
