import assert from 'node:assert/strict'
import test from 'node:test'
import { canonicalJson } from './canonical-json.ts'
import { asObject, isObject } from './is-object.ts'
import { mergePatch } from './merge-patch.ts'

test('an object is neither a list nor null', () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assert.ok(isObject(value))
  for (const value of [[], null, undefined, 'a', 1, true, () => 1]) assert.ok(!isObject(value))
})

test('asObject returns an empty object for every other value', () => {
  const value = { a: 1 }
  assert.equal(asObject(value), value)
  for (const other of [[1], null, undefined, 'text', 1]) assert.deepEqual(asObject(other), {})
})

test('canonical JSON does not depend on the order of keys, at any depth, and keeps the order of lists', () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}')
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
  assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":1}}')), '{"__proto__":{"a":1},"b":1}')
})

test('merge patch: RFC 7396, null removes', () => {
  assert.deepEqual(mergePatch({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: null, e: 3 }, d: [2] }), {
    a: { c: 2, e: 3 },
    d: [2],
  })
  assert.deepEqual(mergePatch({ a: 1 }, [2]), [2])
  assert.deepEqual(mergePatch('text', { a: { b: null } }), { a: {} })
})

test('a merge patch with __proto__ changes no prototype', () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'))
  assert.equal(Reflect.get(merged as object, 'polluted'), undefined)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})
