import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { isEqual, toPatch, toSections } from './json-diff.ts'
import type { PatchOperation } from './patch-operation.ts'

// A second, independent reading of RFC 6902: what a patch of ours does to a document.
function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { '': structuredClone(document) } as Record<string, unknown>
  for (const { op, path, value } of patch) {
    const steps = [
      '',
      ...path
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    ]
    const last = steps.pop() ?? ''
    let parent = root as Record<string, unknown> | unknown[]
    for (const step of steps) {
      parent = (Array.isArray(parent) ? parent[Number(step)] : parent[step]) as typeof parent
    }
    if (Array.isArray(parent)) {
      if (op === 'add') parent.splice(Number(last), 0, value)
      else if (op === 'remove') parent.splice(Number(last), 1)
      else parent[Number(last)] = value
    } else if (op === 'remove') delete parent[last]
    // Not by assignment: a field may be called __proto__.
    else Object.defineProperty(parent, last, { value, writable: true, enumerable: true, configurable: true })
  }
  return root['']
}

const json = fc.jsonValue({ maxDepth: 4 })

test('the patch turns one JSON value into the other', () => {
  fc.assert(
    fc.property(json, json, (from, to) => {
      assert.ok(isEqual(applyPatch(from, toPatch(from, to)), to))
    }),
    { numRuns: 3000 },
  )
})

test('equal values have an empty patch, whatever the order of keys', () => {
  assert.deepEqual(toPatch({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }), [])
})

test('an entry inserted at the start of a list is one operation', () => {
  assert.deepEqual(toPatch({ tools: ['b', 'c'] }, { tools: ['a', 'b', 'c'] }), [
    { op: 'add', path: '/tools/0', value: 'a' },
  ])
})

test('sections are the top-level fields that differ', () => {
  const sections = toSections(
    { model: { route: 'a' }, image: 'x', same: 1 },
    { model: { route: 'b' }, limits: {}, same: 1 },
  )
  assert.deepEqual(sections, [
    { path: '/image', from: 'x' },
    { path: '/limits', to: {} },
    { path: '/model', from: { route: 'a' }, to: { route: 'b' } },
  ])
})
