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

test('canonical JSON: RFC 8785, with the examples of its sections 3.2.2 and 3.2.3', () => {
  const numbers = '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]}'
  assert.equal(canonicalJson(JSON.parse(numbers)), '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}')
  const texts = String.raw`{"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`
  assert.equal(
    canonicalJson(JSON.parse(texts)),
    String.raw`{"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
  const keys = String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`
  assert.deepEqual(
    [...canonicalJson(JSON.parse(keys)).matchAll(/:(\d)/g)].map(([, value]) => Number(value)),
    [2, 4, 6, 7, 1, 5, 3],
  )
  assert.equal(canonicalJson(JSON.parse('{"b":-0,"10":1,"9":2}')), '{"10":1,"9":2,"b":0}')
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
