import assert from 'node:assert/strict'
import test from 'node:test'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { standalonePlatform } from '#core/host/testing/standalone-platform.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { followGatewayRun } from './gateway-runs.ts'
import { noCosts } from '../store/read-costs.ts'
import { noActivity } from '../store/read-activity.ts'
import { toDetail } from '../read/to-run.ts'
import type { RunDetail } from '../contract/run.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { createWorld, queueRun } from '../testing/world.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
const [adapter] = pluginAdapters

test('PODA1: a run that can be neither awaited nor streamed fails one call, not the gateway', async (t) => {
  assert.ok(adapter)
  const database = await adapter.open(t, [storeMigrations, runsMigrations])
  const bus = createMemoryBus()
  const world = createWorld(database, bus)
  const run = await queueRun(world, {})
  const { callers } = await standalonePlatform()({
    role: 'gateway',
    projections: () => [],
    eventTypes: [],
    migrations: [],
  })
  const get = async (): Promise<RunDetail> => {
    const row = await findRun(world.store.reader<RunsTables>(), run.id)
    assert.ok(row)
    return toDetail(row, { ...noCosts, ...noActivity })
  }
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  await bus.close()
  const call = {
    caller: await callers.as('token'),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onText: () => undefined,
  }
  await assert.rejects(followGatewayRun({ ...world, runs: { get } }, run, call), /the bus is closed/)
  // Unhandled rejections are reported after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(unhandled, [])
})
