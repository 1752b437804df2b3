import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once, EventEmitter } from 'node:events'
import test from 'node:test'
import { createGroupWriter } from './group-writer.ts'
import type { GroupBounds } from './group-writer.ts'

const hour = 3_600_000
const bounds: GroupBounds = { size: 3, everyMs: 1, held: 100, retryMs: { minMs: 1, maxMs: 2 }, closeMs: hour }

/** A writer whose store answers as the test says, and what it wrote and dropped. */
function setup(more: Partial<GroupBounds> = {}) {
  const groups: number[][] = []
  const dropped: unknown[] = []
  const retried: number[] = []
  const wrote = new EventEmitter()
  const store: { answer: (group: readonly number[]) => Promise<void> } = { answer: async () => undefined }
  const writer = createGroupWriter<number>(
    {
      write: async (group) => {
        await store.answer(group)
        groups.push([...group])
        wrote.emit(String(groups.flat().length))
      },
      isRefusal: (error) => error instanceof RangeError,
      onRetry: (_error, held) => void retried.push(held),
      onDropped: (count, reason) => void dropped.push([count, reason]),
    },
    { ...bounds, ...more },
  )
  const add = (...items: number[]): void => items.forEach((item) => writer.add(item))
  return { writer, add, groups, dropped, retried, store, written: (count: number) => once(wrote, String(count)) }
}

test('items are written in order: full groups at once, the rest after the interval', async () => {
  const { add, groups, written } = setup()
  add(1, 2, 3, 4, 5, 6, 7)
  await written(7)
  assert.deepEqual(groups, [[1, 2, 3], [4, 5, 6], [7]])
  add(8)
  await written(8)
  assert.deepEqual(groups.at(-1), [8])
})

test('a group waits for the one that is being written', async () => {
  const { add, groups, store, written } = setup()
  const gate = Promise.withResolvers<void>()
  let writing = 0
  let most = 0
  store.answer = async () => {
    most = Math.max(most, ++writing)
    await gate.promise
    writing--
  }
  add(1, 2, 3, 4, 5, 6)
  gate.resolve()
  await written(6)
  assert.deepEqual(
    [groups, most],
    [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      1,
    ],
  )
})

test('a failed group is repeated unchanged before later items', async () => {
  const { add, groups, retried, store, written, dropped } = setup({ size: 10 })
  const tried: number[][] = []
  store.answer = async (group) => {
    tried.push([...group])
    if (tried.length === 1) add(3, 4)
    if (tried.length < 4) throw new Error('the store is not available')
  }
  add(1, 2)
  await written(4)
  assert.deepEqual(tried, [
    [1, 2],
    [1, 2],
    [1, 2],
    [1, 2],
    [3, 4],
  ])
  assert.deepEqual(
    [groups, retried, dropped],
    [
      [
        [1, 2],
        [3, 4],
      ],
      [4, 4, 4],
      [],
    ],
  )
})

test('an item that the store refuses is dropped alone', async () => {
  const { writer, add, groups, store, dropped } = setup({ size: 100, everyMs: hour })
  store.answer = async (group) => {
    if (group.some((item) => item % 7 === 0)) throw new RangeError('refused')
  }
  add(...Array.from({ length: 20 }, (_, index) => index + 1))
  await writer.close()
  const expected = Array.from({ length: 20 }, (_, index) => index + 1).filter((item) => item % 7 !== 0)
  assert.deepEqual(groups.flat(), expected)
  assert.deepEqual(dropped, [
    [1, 'refused'],
    [1, 'refused'],
  ])
})

test('items above the limit are dropped, those being written included', async () => {
  const { writer, add, groups, store, dropped } = setup({ held: 4 })
  const gate = Promise.withResolvers<void>()
  store.answer = () => gate.promise
  add(1, 2, 3, 4, 5, 6)
  assert.deepEqual(dropped, [
    [1, 'full'],
    [1, 'full'],
  ])
  gate.resolve()
  await writer.close()
  assert.deepEqual(groups, [[1, 2, 3], [4]])
})

test('close writes everything that is held, also after failures', async () => {
  const { writer, add, groups, store, dropped } = setup({ everyMs: hour })
  let failures = 2
  store.answer = async () => {
    if (failures-- > 0) throw new Error('the store is not available')
  }
  add(1, 2, 3, 4)
  await writer.close()
  assert.deepEqual([groups, dropped], [[[1, 2, 3], [4]], []])
  add(5)
  assert.deepEqual(dropped, [[1, 'closed']])
})

for (const [what, answer] of [
  ['refuses connections', () => Promise.reject(new Error('the store is not available'))],
  ['does not answer', () => new Promise<void>(() => undefined)],
] as const)
  test(`close ends at its deadline when the store ${what}, and reports the loss`, async () => {
    const { writer, add, groups, store, dropped } = setup({ everyMs: hour, closeMs: 20 })
    store.answer = answer
    add(1, 2)
    await writer.close()
    assert.deepEqual([groups, dropped], [[], [[2, 'closed']]])
  })

test('a group is written outside the context of the request that completed it', async () => {
  const context = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const { add, store, written } = setup()
  store.answer = async () => void seen.push(context.getStore())
  context.run('request', () => add(1, 2, 3, 4))
  await written(4)
  assert.deepEqual(seen, [undefined, undefined])
})
