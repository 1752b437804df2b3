import assert from 'node:assert/strict'
import test from 'node:test'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { builtinSchema } from '../schema/built-in-schemas.ts'
import { compileSchema } from '../schema/compile-schema.ts'
import { applyPatch, trackUpdate } from './server-side-apply.ts'

const now = new Date('2026-01-01T00:00:00.500Z')
const later = new Date('2026-01-01T00:01:00Z')
const configSchema = compileSchema(builtinSchema('', 'ConfigMap') ?? {})
const serviceSchema = compileSchema(builtinSchema('', 'Service') ?? {})
const config = (data: JsonObject, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...more },
  data,
})
const service = (ports: Json): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { ports },
})

function apply(
  live: KubeObject | undefined,
  patch: KubeObject,
  manager: string,
  options: { force?: boolean; schema?: typeof configSchema; at?: Date } = {},
) {
  const { force = false, schema = configSchema, at = now } = options
  return applyPatch({ live, patch, manager, force, schema, subresource: '', now: at })
}
function applied(...given: Parameters<typeof apply>): KubeObject {
  const result = apply(...given)
  assert.ok('object' in result, 'no conflict')
  return result.object
}
const owners = (object: KubeObject) =>
  (object.metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])

test('apply: creates an object, then removes fields that are no longer applied', () => {
  const first = applied(undefined, config({ x: '1', y: '2' }), 'm1')
  assert.deepEqual(owners(first), [['m1', 'Apply', { 'f:data': { 'f:x': {}, 'f:y': {} } }]])
  assert.equal(first.metadata.managedFields?.[0]?.time, '2026-01-01T00:00:00Z')
  const second = applied(first, config({ x: '1' }), 'm1', { at: later })
  assert.deepEqual(second['data'], { x: '1' })
  assert.equal(second.metadata.managedFields?.[0]?.time, '2026-01-01T00:01:00Z')
  // A map that lost all fields is null until the kind decodes it.
  assert.equal(applied(second, config({}), 'm1')['data'], null)
})

test('apply: two managers share an equal value; a different one is a conflict that force takes over', () => {
  const first = applied(undefined, config({ x: '1', y: '2' }), 'm1')
  const shared = applied(first, config({ x: '1' }), 'm2', { at: later })
  assert.deepEqual(
    owners(shared).map(([manager]) => manager),
    ['m2', 'm1'],
  )
  assert.equal(shared.metadata.managedFields?.[0]?.time, undefined)
  const refused = apply(shared, config({ x: '2', y: '7' }), 'm3')
  assert.ok('conflict' in refused)
  assert.match(
    refused.message,
    /^Apply failed with 3 conflicts: conflicts with "m1":\n- .data.x\n- .data.y\nconflicts with "m2":\n- .data.x$/,
  )
  assert.deepEqual(refused.conflict[0]?.reason, 'FieldManagerConflict')
  const forced = applied(shared, config({ x: '2', y: '7' }), 'm3', { force: true })
  assert.deepEqual(owners(forced), [['m3', 'Apply', { 'f:data': { 'f:x': {}, 'f:y': {} } }]])
  const left = applied(shared, config({}), 'm1')
  assert.deepEqual(left['data'], { x: '1' })
})

test("apply: an update owns what it changed, and its fields are not removed by another's apply", () => {
  const first = applied(undefined, config({ x: '1' }), 'm1')
  const updated = config({ x: '1', z: '3' }, { labels: { a: 'b' } })
  updated.metadata.managedFields = trackUpdate({
    before: first,
    after: updated,
    manager: 'kubectl',
    subresource: '',
    schema: configSchema,
    now,
  })
  assert.deepEqual(owners(updated)[1], [
    'kubectl',
    'Update',
    { 'f:data': { 'f:z': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
  ])
  const refused = apply(updated, config({ z: '4' }), 'm1')
  assert.ok('conflict' in refused)
  assert.equal(refused.message, 'Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.z')
  assert.deepEqual(applied(updated, config({}), 'm1')['data'], { z: '3' })
})

test('apply: items of an associative list merge by their keys, defaults of keys included', () => {
  const first = applied(
    undefined,
    service([
      { port: 80, name: 'http' },
      { port: 443, protocol: 'TCP', name: 'https' },
    ]),
    'm1',
    { schema: serviceSchema },
  )
  const second = applied(first, service([{ port: 443, targetPort: 8443 }]), 'm2', { schema: serviceSchema })
  assert.deepEqual(second['spec'], {
    ports: [
      { port: 80, name: 'http' },
      { port: 443, protocol: 'TCP', name: 'https', targetPort: 8443 },
    ],
  })
  assert.deepEqual(owners(second)[1], [
    'm2',
    'Apply',
    { 'f:spec': { 'f:ports': { 'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:targetPort': {} } } } },
  ])
  const third = applied(second, service([{ port: 80, name: 'http' }]), 'm1', { schema: serviceSchema })
  assert.deepEqual(third['spec'], {
    ports: [
      { port: 80, name: 'http' },
      { port: 443, targetPort: 8443 },
    ],
  })
})

test('track: a create owns all fields, a status write its own entry, a no-op nothing, and an empty list resets the owners', () => {
  const track = (before: KubeObject | undefined, after: KubeObject, subresource = '') =>
    trackUpdate({ before, after, manager: 'm', subresource, schema: configSchema, now })
  const created = config({ x: '1' })
  created.metadata.managedFields = track(undefined, created)
  assert.deepEqual(owners(created), [['m', 'Update', { 'f:data': { '.': {}, 'f:x': {} } }]])
  assert.deepEqual(
    trackUpdate({ before: created, after: created, manager: 'n', subresource: '', schema: configSchema, now: later }),
    created.metadata.managedFields,
  )
  const emptied = config({}, { managedFields: [] })
  assert.deepEqual(track(created, { ...emptied, data: { x: '1' } }), [])
  const status = compileSchema({
    type: 'object',
    properties: { status: { type: 'object', properties: { ready: { type: 'boolean' } } } },
  })
  const widget = (ready: boolean): KubeObject => ({
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'W',
    metadata: { name: 'a' },
    status: { ready },
  })
  const trackStatus = (before: KubeObject) =>
    trackUpdate({ before, after: widget(true), manager: 'm', subresource: 'status', schema: status, now })
  const creator = {
    manager: 'c',
    operation: 'Update',
    apiVersion: 'mesh.dev/v1alpha1',
    fieldsType: 'FieldsV1',
  } as const
  const owned = { ...creator, fieldsV1: { 'f:metadata': { 'f:labels': {} } } }
  assert.deepEqual(trackStatus(widget(false)), [], 'fields without an owner keep none')
  assert.deepEqual(trackStatus({ ...widget(false), metadata: { name: 'a', managedFields: [owned] } }), [
    owned,
    {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'mesh.dev/v1alpha1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:status': { 'f:ready': {} } },
      subresource: 'status',
    },
  ])
})
