import assert from 'node:assert/strict'
import test from 'node:test'
import { readManifest } from './manifest.ts'
import { pinManifest } from './pin-manifest.ts'
import type { PinInput } from './pin-manifest.ts'

const inputSchema = { type: 'object' }
const one = readManifest([{ name: 'a', inputSchema }], 'host')
const two = readManifest(
  [
    { name: 'a', description: 'other', inputSchema },
    { name: 'b', inputSchema },
  ],
  'host',
)
const three = readManifest([{ name: 'b', inputSchema }], 'host')
const pinnedOne = { manifestDigest: one.digest, tools: [...one.tools] }
const waiting = { proposed: { digest: two.digest, changes: [], tools: [...two.tools] } }

const pin = (input: Partial<PinInput>) => {
  const found = pinManifest({ spec: {}, status: undefined, offered: undefined, approved: undefined, ...input })
  return [found.accepted?.digest, found.proposed?.digest, found.proposed?.changes]
}

test('mcp: the first manifest is accepted, every later one waits', () => {
  assert.deepEqual(pin({ offered: one }), [one.digest, undefined, undefined])
  assert.deepEqual(pin({ status: pinnedOne, offered: one }), [one.digest, undefined, undefined])
  const changes = ['changed a', 'added b']
  assert.deepEqual(pin({ status: pinnedOne, offered: two }), [one.digest, two.digest, changes])
  assert.deepEqual(pin({ status: { ...pinnedOne, ...waiting }, offered: three }), [
    one.digest,
    three.digest,
    ['added b', 'removed a'],
  ])
  assert.deepEqual(pin({ status: { ...pinnedOne, ...waiting }, offered: one }), [one.digest, undefined, undefined])
})

test('mcp: where approvals are required, only approved manifests are used, whatever the spec says', () => {
  const none = new Map<string, string>()
  const approved = new Map([[one.digest, 'ben']])
  const spec = { acceptedManifest: two.digest }
  const status = pinnedOne
  assert.deepEqual(pin({ offered: two, approved: none }), [undefined, two.digest, ['added a', 'added b']])
  assert.deepEqual(pin({ offered: two, spec, approved: none }), [undefined, two.digest, ['added a', 'added b']])
  assert.deepEqual(pin({ offered: one, status, approved: none }), [undefined, one.digest, ['added a']])
  assert.deepEqual(pin({ offered: one, spec, approved }), [one.digest, undefined, undefined])
  assert.deepEqual(pin({ offered: two, spec, status, approved }).slice(0, 2), [one.digest, two.digest])
  const both = new Map([...approved, [two.digest, 'ben']])
  assert.deepEqual(pin({ offered: two, status, approved: both }), [two.digest, undefined, undefined])
  assert.deepEqual(pin({ status: { ...status, ...waiting }, approved: both }).slice(0, 2), [one.digest, two.digest])
})

test('mcp: the spec names the accepted manifest, and no other one is used', () => {
  const spec = { acceptedManifest: two.digest }
  assert.deepEqual(pin({ spec, offered: two, status: pinnedOne }), [two.digest, undefined, undefined])
  assert.deepEqual(pin({ spec, offered: one, status: pinnedOne }), [undefined, one.digest, ['added a']])
  assert.deepEqual(pin({ spec, offered: three, status: { ...pinnedOne, ...waiting } }).slice(0, 2), [
    two.digest,
    three.digest,
  ])
  assert.deepEqual(pin({ spec, status: { ...pinnedOne, ...waiting } }), [two.digest, undefined, undefined])
})

test('mcp: while a server cannot be read, what was accepted and what waits stay', () => {
  assert.deepEqual(pin({}), [undefined, undefined, undefined])
  assert.deepEqual(pin({ status: pinnedOne }), [one.digest, undefined, undefined])
  assert.deepEqual(pin({ status: { ...pinnedOne, ...waiting } }).slice(0, 2), [one.digest, two.digest])
})
