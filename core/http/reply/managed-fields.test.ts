import assert from 'node:assert/strict'
import test from 'node:test'
import { cutManagedFields, withoutManagedFields } from './managed-fields.ts'

const managed = [{ manager: 'a "quoted" ]}', fieldsV1: { 'f:spec': { '.': {}, 'f:list': [[{}]] } } }, { manager: '\\' }]
const text = 'says "managedFields":[1],"metadata":{"managedFields":[2]} and \\" \\\\'

const of = (metadata: object, more: object = {}) => ({ apiVersion: 'v1', kind: 'Thing', metadata, ...more })

const items = [
  of({ annotations: { text }, managedFields: managed, name: 'middle' }, { spec: { text } }),
  of({ managedFields: managed, name: 'first' }),
  of({ name: 'last', managedFields: managed }),
  of({ managedFields: managed }),
  of({ name: 'empty', managedFields: [] }),
  of({ name: 'none' }),
  of({ name: 'odd', managedFields: 'text' }),
  of({ name: 'odd', managedFields: null }),
  of({ name: 'managedFields', labels: { managedFields: 'mine', metadata: 'x' } }),
  of(
    { name: 'nested', managedFields: managed },
    {
      managedFields: ['mine'],
      spec: {
        managedFields: ['mine'],
        metadata: { managedFields: ['mine'] },
        template: of({ managedFields: ['mine'] }),
      },
    },
  ),
]

const cut = items.map(({ metadata, ...one }) => {
  const { managedFields: _, ...rest } = metadata as { readonly managedFields?: unknown }
  return { ...one, metadata: rest }
})
const sorted = (value: unknown): unknown => JSON.parse(JSON.stringify(value), (_key, one: unknown) => one)

test('R2-UX-20: the field is cut out of the bytes of a list, whatever else has its name', () => {
  const bytes = Buffer.from(JSON.stringify(items).slice(1, -1))
  // For every split of the socket.
  for (let at = 0; at <= bytes.length; at++) {
    const kept = Buffer.concat([...cutManagedFields([bytes.subarray(0, at), bytes.subarray(at)])]).toString()
    assert.deepEqual(JSON.parse(`[${kept}]`), sorted(cut), `split at ${at}`)
  }
  for (const [index, item] of items.entries())
    assert.deepEqual(JSON.parse(String(cutManagedFields([Buffer.from(JSON.stringify(item))])[0])), sorted(cut[index]))
})

test('R2-UX-20: bytes without the field are passed on as they came', () => {
  const pieces = [Buffer.from('{"metadata":{"name":"a"}}'), Buffer.from(',{"metadata":{"name":"b"}}')]
  assert.equal(cutManagedFields(pieces), pieces)
  assert.deepEqual(cutManagedFields([]), [])
})

test('R2-UX-20: objects of the cluster lose the field, other values nothing', () => {
  assert.deepEqual(withoutManagedFields(items[0]), cut[0])
  assert.deepEqual(withoutManagedFields({ items, nextCursor: null }), { items: cut, nextCursor: null })
  const others = [
    null,
    'x',
    1,
    [items[0]],
    { metadata: { managedFields: [1] } },
    { items: [{ metadata: { managedFields: 1 } }] },
  ]
  for (const other of others) assert.equal(withoutManagedFields(other), other)
})
