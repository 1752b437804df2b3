import assert from 'node:assert/strict'
import test from 'node:test'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { applyBodyPatch } from './body-patch.ts'

const configMap = (data: { [key: string]: string }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', finalizers: ['x/one', 'x/two'] },
  data,
})
const field = (object: object, name: string): unknown => Object.entries(object).find(([key]) => key === name)?.[1]
const json = (...operations: Json[]) => applyBodyPatch('json', configMap({ x: '1' }), operations)
const code = (result: object) => ('code' in result ? result.code : 200)

test('json patch: add, replace, move, copy, remove, test and escaped pointers', () => {
  const result = json(
    { op: 'test', path: '/data/x', value: '1' },
    { op: 'add', path: '/data/a~1b~0c', value: '2' },
    { op: 'copy', from: '/data/x', path: '/data/y' },
    { op: 'move', from: '/data/x', path: '/data/z' },
    { op: 'replace', path: '/data/new', value: '3' },
    { op: 'add', path: '/metadata/finalizers/1', value: 'x/mid' },
    { op: 'add', path: '/metadata/finalizers/-', value: 'x/end' },
    { op: 'remove', path: '/metadata/finalizers/0' },
  )
  assert.deepEqual(field(result, 'data'), { 'a/b~c': '2', y: '1', z: '1', new: '3' })
  assert.deepEqual((result as KubeObject).metadata.finalizers, ['x/mid', 'x/two', 'x/end'])
})

test('json patch: a failed operation is a 422, a malformed patch a 400, and the live object is not changed', () => {
  const live = configMap({ x: '1' })
  const patch = [
    { op: 'add', path: '/data/y', value: '2' },
    { op: 'test', path: '/data/x', value: '2' },
  ]
  assert.equal(code(applyBodyPatch('json', live, patch)), 422)
  assert.deepEqual(live, configMap({ x: '1' }))
  for (const op of [
    { op: 'remove', path: '/data/none' },
    { op: 'add', path: '/metadata/labels/a', value: 'b' },
    { op: 'add', path: '/metadata/finalizers/9', value: 'b' },
    { op: 'spin', path: '/data' },
    { op: 'add' },
    { op: 'constructor', path: '/data' },
  ]) {
    assert.equal(code(json(op)), 422, JSON.stringify(op))
  }
  assert.equal(code(json(1)), 400)
  assert.equal(code(applyBodyPatch('json', live, { op: 'add' })), 400)
})

test('X3: a patch that names __proto__ makes an ordinary key', () => {
  const merged = applyBodyPatch('merge', configMap({}), JSON.parse('{"data":{"__proto__":{"polluted":"yes"}}}'))
  assert.equal(Object.hasOwn(field(merged, 'data') as object, '__proto__'), true)
  assert.equal(({} as { polluted?: string }).polluted, undefined)
  json({ op: 'add', path: '/__proto__/polluted', value: 'yes' })
  assert.equal(({} as { polluted?: string }).polluted, undefined)
})

test('merge patch: the table of RFC 7386, appendix A', () => {
  const cases: [Json, Json, Json][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [target, patch, expected] of cases) {
    assert.deepEqual(applyBodyPatch('merge', target as KubeObject, patch), expected)
  }
})

test('strategic patch: lists merge by their key, directives delete, replace and order', () => {
  const account = (secrets: Json): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'a' },
    secrets,
  })
  const live = account([{ name: 'a' }, { name: 'b', uid: '1' }])
  const strategic = (patch: Json) => applyBodyPatch('strategic', live, patch)
  assert.deepEqual(
    strategic({ secrets: [{ name: 'b', kind: 'Secret' }] }),
    account([{ name: 'a' }, { name: 'b', uid: '1', kind: 'Secret' }]),
  )
  assert.deepEqual(strategic({ secrets: [{ name: 'a', $patch: 'delete' }] }), account([{ name: 'b', uid: '1' }]))
  assert.deepEqual(strategic({ secrets: [{ $patch: 'replace' }, { name: 'c' }] }), account([{ name: 'c' }]))
  assert.deepEqual(
    strategic({ '$setElementOrder/secrets': [{ name: 'b' }, { name: 'a' }] }),
    account([{ name: 'b', uid: '1' }, { name: 'a' }]),
  )
  assert.equal(code(strategic({ secrets: [{ kind: 'x' }] })), 500)
})

test('strategic patch: finalizers are a merged set, rules are replaced, our kinds answer 415', () => {
  const patched = applyBodyPatch('strategic', configMap({}), {
    metadata: { finalizers: ['x/three'], '$deleteFromPrimitiveList/finalizers': ['x/one'] },
  }) as KubeObject
  assert.deepEqual([...(patched.metadata.finalizers ?? [])].sort(), ['x/three', 'x/two'])
  const role: KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r' },
    rules: [{ verbs: ['get'] }],
  }
  assert.deepEqual(field(applyBodyPatch('strategic', role, { rules: [{ verbs: ['list'] }] }), 'rules'), [
    { verbs: ['list'] },
  ])
  assert.equal(
    code(applyBodyPatch('strategic', { apiVersion: 'mesh.dev/v1alpha1', kind: 'Tenant', metadata: { name: 'a' } }, {})),
    415,
  )
})

test('SEC16: copies add at most 3 MiB, and inserts shift at most 20 million items', () => {
  const doubled = Array.from({ length: 40 }, () => ({
    op: 'copy',
    from: '/metadata/finalizers',
    path: '/metadata/finalizers/-',
  }))
  assert.equal(code(json(...doubled)), 422)
  const long: Json = Array.from({ length: 100_000 }, () => 'a/b')
  const shifted = Array.from({ length: 9_000 }, () => ({ op: 'add', path: '/metadata/finalizers/0', value: 'a/b' }))
  assert.equal(code(json({ op: 'add', path: '/metadata/finalizers', value: long }, ...shifted)), 413)
  assert.equal(code(json(...shifted.slice(0, 1_000))), 200)
})
