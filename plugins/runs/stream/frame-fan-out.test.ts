import assert from 'node:assert/strict'
import test from 'node:test'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { deleteRuns } from '../retention/delete-runs.ts'
import { encodeLiveFrame } from './encode-frame.ts'
import { toRows } from '../lifecycle/journal-entry.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import { createLiveUpdates } from './live-updates.ts'
import { createRunWatch } from './run-watch.ts'
import { lockRun } from '../store/internal/lease.ts'
import { writeRun } from '../store/internal/write-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { streamRun } from './stream-run.ts'
import { createWorld, queueRun } from '../testing/world.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }

function counting(bus: Bus): { bus: Bus; open: () => number } {
  let open = 0
  const listen: Bus['listen'] = async (subject, handle) => {
    const { stop } = await bus.listen(subject, handle)
    open++
    const stopped = async (): Promise<void> => {
      open--
      await stop()
    }
    return { stop: stopped }
  }
  return { bus: { ...bus, listen }, open: () => open }
}

function frameOf(runId: string, kind: string, seq?: number): LiveFrame {
  const data = kind === 'message.delta' ? { messageId: 'm', offset: 0, text: 'hello' } : {}
  const numbered = seq === undefined ? {} : { seq }
  return {
    v: 1,
    ...numbered,
    runId,
    ts: '2026-01-01T00:00:00Z',
    kind,
    agent: 'robot',
    path: ['robot'],
    spanId: '',
    data,
  }
}

for (const adapter of pluginAdapters) {
  test(
    `${adapter.name}: clients of one run share its subscription and the bytes of a live frame`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t, [storeMigrations, runsMigrations])
      const { bus, open } = counting(createMemoryBus())
      const world = createWorld(database, bus)
      const run = await queueRun(world, {})
      const watch = (watched: SelectedRun) => {
        const sent: Buffer[] = []
        const caughtUp = Promise.withResolvers<void>()
        const send = (frame: LiveFrame): void => {
          sent.push(encodeLiveFrame(frame))
          caughtUp.resolve()
        }
        const done = streamRun(world, watched, 0, { send, signal: AbortSignal.timeout(60_000) })
        return { sent, caughtUp: caughtUp.promise, done }
      }
      const clients = [watch(run), watch(run)] as const
      await Promise.all(clients.map(({ caughtUp }) => caughtUp))
      assert.equal(open(), 1)
      for (const frame of [
        frameOf(run.id, 'run.started', 2),
        frameOf(run.id, 'message.delta'),
        frameOf(run.id, 'run.succeeded', 3),
      ])
        world.live.frame(frame)
      await Promise.all(clients.map(({ done }) => done))
      const [one, other] = [clients[0].sent, clients[1].sent]
      assert.deepEqual(one.map(eventOf), ['run.queued', 'run.started', 'message.delta', 'run.succeeded', 'stream.end'])
      for (const at of [1, 2, 3]) assert.equal(one[at], other[at], `frame ${at} was encoded twice`)
      assert.match(String(one[1]), /^id: 2$/m)
      assert.equal(open(), 0)
    },
  )
}

test('UXM5: the stream of a run that is removed with its namespace ends as cancelled; lost frames are read', async (t) => {
  const [adapter] = pluginAdapters
  assert.ok(adapter)
  const database = await adapter.open(t, [storeMigrations, runsMigrations])
  const world = createWorld(database)
  const run = await queueRun(world, {})
  const kinds: string[] = []
  const [queued, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const send = ({ kind }: LiveFrame): void => {
    kinds.push(kind)
    if (kind === 'run.queued') queued.resolve()
    if (kind === 'step.started') started.resolve()
  }
  const done = streamRun(world, run, 0, { send, signal: AbortSignal.timeout(60_000) })
  await queued.promise
  const at = { ts: new Date(), path: [], spanId: '' }
  const rows = toRows(run.id, 1, [{ ...at, kind: 'step.started', data: {} }])
  // Without a live frame.
  await world.store.transact(async (tx) => {
    const db = tx.tables<RunsTables>()
    const locked = await lockRun(db, run.id)
    assert.ok(locked && (await writeRun(db, locked, { entries: rows })))
  })
  await started.promise
  await world.store.transact((tx) => deleteRuns(tx, [run.id], { name: 'pruning', kind: 'controller' }))
  await done
  assert.deepEqual(kinds, ['run.queued', 'step.started', 'run.cancelled', 'stream.end'])
})

test('UXM5: waiting streams cost one query per interval, independent of their number', async (t) => {
  const [adapter] = pluginAdapters
  assert.ok(adapter)
  const database = await adapter.open(t, [storeMigrations, runsMigrations])
  const { store, ...world } = createWorld(database)
  const run = await queueRun({ ...world, store }, {})
  let reads = 0
  const counted = { ...store, reader: <Tables>() => (reads++, store.reader<Tables>()) }
  const watch = createRunWatch(counted, 10)
  const reports: string[] = []
  const over = Promise.withResolvers<void>()
  const note = (what: string): void => void (reports.push(what) === 101 && over.resolve())
  const stops = Array.from({ length: 100 }, () =>
    watch.follow(run.id, { last: () => 0, behind: () => note('behind'), gone: () => note('gone') }),
  )
  stops.push(watch.follow(uuidV7(), { last: () => 0, behind: () => note('behind'), gone: () => note('gone') }))
  await over.promise
  assert.equal(reads, 1)
  assert.deepEqual([reports.filter((one) => one === 'behind').length, reports.at(-1)], [100, 'gone'])
  for (const stop of stops) stop()
})

test('a client that disconnects does not affect the others, and a failed subscription is retried', async () => {
  const { bus, open } = counting(createMemoryBus())
  let refusals = 1
  const live = createLiveUpdates({
    ...bus,
    listen: (subject, handle) => (refusals-- > 0 ? Promise.reject(new Error('no bus')) : bus.listen(subject, handle)),
  })
  const seen: string[] = []
  await assert.rejects(
    live.onFrame('r', () => undefined),
    /no bus/,
  )
  const first = await live.onFrame('r', () => seen.push('first'))
  const heard = Promise.withResolvers<void>()
  const second = await live.onFrame('r', ({ kind }) => {
    seen.push(kind)
    heard.resolve()
  })
  await first.stop()
  await first.stop()
  live.frame(frameOf('s', 'another run'))
  live.frame(frameOf('r', 'mine'))
  await heard.promise
  assert.deepEqual([seen, open()], [['mine'], 1])
  await second.stop()
  assert.equal(open(), 0)
})

function eventOf(bytes: Buffer): string | undefined {
  return /^event: (.*)$/m.exec(bytes.toString())?.[1]
}
