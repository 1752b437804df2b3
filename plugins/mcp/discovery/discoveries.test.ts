import assert from 'node:assert/strict'
import test from 'node:test'
import { McpFailure } from '../client/mcp-failure.ts'
import type { Discovery } from './discover.ts'
import { createDiscoveries } from './discoveries.ts'
import type { DiscoveryKey } from './discoveries.ts'

const key = (namespace: string, uid: string, url = 'http://x/'): DiscoveryKey => ({
  uid,
  generation: 1,
  namespace,
  url,
  bearer: undefined,
})
const found: Discovery = { failure: new McpFailure('timeout', 'x') }

function setUp() {
  const started: { readonly key: DiscoveryKey; readonly end: () => void; readonly fail: (error: Error) => void }[] = []
  let now = 0
  const discoveries = createDiscoveries({
    read: (one) => {
      const { promise, resolve, reject } = Promise.withResolvers<Discovery>()
      started.push({ key: one, end: () => resolve(found), fail: reject })
      return promise
    },
    most: { total: 3, perNamespace: 2 },
    waitMs: 0,
    clock: () => now,
  })
  return {
    started,
    discoveries,
    at: (time: number) => void (now = time),
    names: () => started.map((one) => one.key.uid),
  }
}

test('servers of one namespace that hang leave places for others, and all together are bounded', async () => {
  const { discoveries, started, names } = setUp()
  for (const uid of ['a1', 'a2', 'a3', 'a4']) assert.equal(await discoveries.get(key('a', uid), 1), undefined)
  assert.deepEqual(names(), ['a1', 'a2'])
  await discoveries.get(key('b', 'b1'), 1)
  await discoveries.get(key('c', 'c1'), 1)
  assert.deepEqual(names(), ['a1', 'a2', 'b1'])
  started[0]?.end()
  await new Promise(setImmediate)
  assert.equal(await discoveries.get(key('a', 'a1'), 1), found)
  await discoveries.get(key('a', 'a3'), 1)
  assert.deepEqual(names(), ['a1', 'a2', 'b1', 'a3'])
})

test('a discovery is used until it is too old, and not for another address', async () => {
  const { discoveries, started, at, names } = setUp()
  await discoveries.get(key('a', 'a1'), 100)
  assert.equal(await discoveries.get(key('a', 'a1'), 100), undefined)
  started[0]?.end()
  await new Promise(setImmediate)
  at(99)
  assert.equal(await discoveries.get(key('a', 'a1'), 100), found)
  at(100)
  assert.equal(await discoveries.get(key('a', 'a1'), 100), undefined)
  assert.equal(await discoveries.get(key('a', 'a1', 'http://y/'), 100), undefined)
  assert.deepEqual(names(), ['a1', 'a1', 'a1'])
})

test('a discovery that throws ends, gives its place back, and is tried again', async () => {
  const { discoveries, started, names } = setUp()
  await discoveries.get(key('a', 'a1'), 1)
  started[0]?.fail(new Error('x'))
  await new Promise(setImmediate)
  await discoveries.get(key('a', 'a1'), 1)
  await discoveries.get(key('a', 'a2'), 1)
  assert.deepEqual(names(), ['a1', 'a1', 'a2'])
})
