import assert from 'node:assert/strict'
import test from 'node:test'
import type { LauncherEntry } from '#schemas/runs/run.ts'
import { createEntryBatcher } from './entry-batcher.ts'

const entry = (kind: LauncherEntry['kind'], n?: number): LauncherEntry => ({
  ts: '2026-01-01T00:00:00.000Z',
  kind,
  path: [],
  spanId: '',
  data: {},
  ...(n === undefined ? {} : { n }),
})

test('entry batcher: deltas that arrive without a pending commit are forwarded, and so are later entries', async () => {
  const order: string[] = []
  const batcher = createEntryBatcher(
    {
      commit: (entries) => Promise.resolve(void order.push(...entries.map(({ n }) => `entry ${n}`))),
      delta: () => void order.push('delta'),
    },
    { after: 0, onError: (error) => assert.fail(String(error)) },
  )
  void batcher.push(entry('message.started', 1), 10)
  await batcher.drained()
  for (let times = 0; times < 2; times++) {
    void batcher.push(entry('message.delta'), 10)
    await batcher.drained()
  }
  void batcher.push(entry('message.finished', 2), 10)
  void batcher.push(entry('message.finished', 2), 10)
  await batcher.drained()
  assert.deepEqual(order, ['entry 1', 'delta', 'delta', 'entry 2'])
})

test('entry batcher: entries are gathered and committed with the deltas among them; the last entry ends the wait', async () => {
  const commits: string[][] = []
  const first = Promise.withResolvers<void>()
  const batcher = createEntryBatcher(
    {
      commit: (entries) => {
        commits.push(entries.map(({ n }) => (n === undefined ? 'delta' : `entry ${n}`)))
        return commits.length === 1 ? first.promise : Promise.resolve()
      },
      delta: () => void commits.push(['live']),
    },
    {
      after: 0,
      onError: (error) => assert.fail(String(error)),
      isLast: ({ kind }) => kind === 'run.succeeded',
      gather: { entriesMs: 1e6, deltaMs: 1e6 },
    },
  )
  void batcher.push(entry('message.delta'), 10)
  void batcher.push(entry('message.started', 1), 10)
  void batcher.push(entry('message.delta'), 10)
  await new Promise(setImmediate)
  assert.deepEqual(commits, [['live']], 'waits')
  void batcher.push(entry('message.finished', 2), 10)
  const drained = batcher.drained()
  await new Promise(setImmediate)
  assert.deepEqual(commits.slice(1), [['entry 1', 'delta', 'entry 2']])
  void batcher.push(entry('run.succeeded', 3), 10)
  first.resolve()
  await drained
  assert.deepEqual(commits.slice(2), [['entry 3']], 'one that arrives during a commit is in the next one')
})

test('entry batcher: a failed commit is reported, and queued entries are dropped', async () => {
  const failures: unknown[] = []
  const batcher = createEntryBatcher(
    { commit: () => Promise.reject(new Error('no')), delta: () => assert.fail('nothing follows a failure') },
    { after: 0, onError: (error) => void failures.push(error) },
  )
  void batcher.push(entry('message.started', 1), 10)
  void batcher.push(entry('message.delta'), 10)
  await batcher.drained()
  assert.equal(failures.length, 1)
})

test('SEC14, F6: entry batcher: above the bound it pauses its source until a commit frees space', async () => {
  const commits: PromiseWithResolvers<void>[] = []
  const commit = (): Promise<void> => {
    const one = Promise.withResolvers<void>()
    commits.push(one)
    return one.promise
  }
  const batcher = createEntryBatcher(
    { commit, delta() {} },
    { after: 0, onError: (error) => assert.fail(String(error)), maxWaiting: 100 },
  )
  assert.equal(batcher.push(entry('step.started', 1), 60), undefined)
  const paused = batcher.push(entry('step.started', 2), 60)
  assert.ok(paused, 'pauses')
  let resumed = false
  void paused.then(() => (resumed = true))
  await new Promise(setImmediate)
  assert.deepEqual([commits.length, resumed], [1, false])
  commits[0]?.resolve()
  await paused
  await batcher.drained()
  assert.equal(batcher.push(entry('step.started', 3), 60), undefined)
})

test('SEC14, F6: entry batcher: a failed commit ends the pause', async () => {
  const batcher = createEntryBatcher(
    { commit: () => Promise.reject(new Error('no')), delta() {} },
    { after: 0, onError: () => undefined, maxWaiting: 10 },
  )
  await batcher.push(entry('step.started', 1), 60)
})
