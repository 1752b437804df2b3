import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { migrate } from '#core/database/migrate.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { createRun } from '../../create/create-run.ts'
import type { ExecutorRun, RunExecutor } from '../../contract/points.ts'
import type { RunProgress } from '../../contract/run-progress.ts'
import type { LiveFrame } from '../../contract/live-frame.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { readContent } from '../../store/internal/content.ts'
import { streamRun } from '../../stream/stream-run.ts'
import { createWorld, settled, startWorker, workerServices, worldMigrations } from '../../testing/world.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)

async function startExecutor(t: TestContext, execute: (run: ExecutorRun) => Promise<void>) {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, worldMigrations)
  const world = createWorld(database)
  const executor: RunExecutor = {
    kind: 'export',
    permission: { verb: 'create', resource: 'exports' },
    execute: async (run) => {
      await execute(run)
      return { state: 'succeeded', output: null }
    },
  }
  const worker = startWorker({ ...workerServices(world, () => undefined), executors: [executor] }, uuidV7())
  t.after(() => worker.stop())
  const queue = () => {
    const runId = uuidV7()
    return createRun(world, {
      runId,
      executor: { kind: 'export', namespace: 'default' },
      namespaceUid: 'ns-uid',
      input: null,
      conversationId: uuidV7(),
      labels: {},
      trigger: { kind: 'nightly', by: 'alice' },
      subject: 'alice',
      actor: { name: 'alice', kind: 'user' },
      grant: 'unsigned',
      traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
    })
  }
  const stream = async (run: SelectedRun) => {
    const frames: LiveFrame[] = []
    await streamRun(world, run, 0, { send: (frame) => void frames.push(frame), signal: AbortSignal.timeout(60_000) })
    return frames
  }
  return { world, queue, stream }
}

const progressOf = (frames: readonly LiveFrame[]) => frames.filter(({ kind }) => kind === 'run.progress')

test('a flood of reports becomes a few frames with the latest, and none is journaled', async (t) => {
  const total = 20_000
  const began = Promise.withResolvers<void>()
  const { queue, stream } = await startExecutor(t, async (run) => {
    await began.promise
    for (let done = 1; done <= total; done++) {
      run.progress({ done, total, message: `page ${done}` })
      if (done % 2_000 === 0) await sleep(100)
    }
  })
  const run = await queue()
  const streamed = stream(run)
  await sleep(200)
  began.resolve()
  const frames = await streamed
  const progress = progressOf(frames)
  assert.ok(progress.length >= 2 && progress.length <= 12, `${progress.length} frames`)
  assert.deepEqual(progress.at(-1)?.data, { done: total, total, message: `page ${total}` })
  assert.ok(progress.every(({ seq, agent, path }) => seq === undefined && agent === null && path[0] === 'export'))
  assert.ok(frames.indexOf(progress.at(-1) ?? assert.fail()) < frames.findIndex(({ kind }) => kind === 'run.succeeded'))
  assert.deepEqual(progressOf(await stream(run)), [], 'an ended run has none')
})

test('a client that connects later gets the stored progress', async (t) => {
  const [reported, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { world, queue, stream } = await startExecutor(t, async (run) => {
    run.progress({ done: 7 })
    reported.resolve()
    await end.promise
  })
  const run = await queue()
  await reported.promise
  const stored = async () => (await readContent(world.store.reader<RunsTables>(), run.id))?.progress
  while ((await stored()) === null) await sleep(10)
  const late = stream(run)
  await sleep(300)
  end.resolve()
  // A live frame may repeat what was stored.
  const [first, ...repeated] = progressOf(await late).map(({ data }) => data)
  assert.deepEqual(first, { done: 7 })
  assert.ok(repeated.every(({ done }) => done === 7))
})

test('SEC: a report of another shape fails the run and reaches no stream', async (t) => {
  const hostile: readonly unknown[] = [
    { done: -1 },
    { done: Number.NaN },
    { done: 1e300 },
    { done: '1' },
    { done: 1, total: Infinity },
    { done: 1, message: 'x'.repeat(1025) },
    { done: 1, message: {} },
  ]
  let next: unknown
  const begun = Promise.withResolvers<void>()
  const { world, queue, stream } = await startExecutor(t, async (run) => {
    if (!hostile.includes(next)) await begun.promise
    run.progress(next as RunProgress)
  })
  for (const given of hostile) {
    next = given
    const run = await queue()
    assert.deepEqual(progressOf(await stream(run)), [])
    const ended = await settled(world, run.id, isTerminal)
    assert.deepEqual([ended.state, ended.fail_reason], ['failed', 'agent_error'], JSON.stringify(given))
    assert.match((await readContent(world.store.reader<RunsTables>(), run.id))?.error ?? '', /invalid progress/)
  }
  next = { done: 1, message: 'a\0b\ud800', secret: 'not a field' }
  const run = await queue()
  const streamed = stream(run)
  await sleep(200)
  begun.resolve()
  const [frame] = progressOf(await streamed)
  assert.deepEqual(Object.keys(frame?.data ?? {}), ['done', 'message'])
  assert.ok(String(frame?.data['message']).isWellFormed() && !String(frame?.data['message']).includes('\0'))
})
