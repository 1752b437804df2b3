import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Store } from '#core/event-store/store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { providers } from '../index.ts'
import { meteredCall } from '../testing/metered-call.ts'
import { createMetering } from './metering.ts'

const servers = needs('postgres', 'initdb')
const bounds = { size: 500, everyMs: 3_600_000, held: 1_000, retryMs: { minMs: 1, maxMs: 2 }, closeMs: 60_000 }

async function setup(t: TestContext, change: (store: Store) => Store = (store) => store) {
  const url = await createDatabase(t)
  const database = await openDatabase({ url })
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  const lines: string[] = []
  const metrics = createMetrics()
  const clock = { now: new Date('2026-01-01T00:00:00Z') }
  const metering = createMetering(
    {
      store: change(createStore(database, { projections: [] })),
      log: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
      metrics,
      now: () => clock.now,
    },
    bounds,
  )
  const events = async () => {
    const { rows } = await sql<{ stream: string; version: number; time: Date; data: { inputTokens: number } }>`
      SELECT stream, version, time, data FROM events ORDER BY position`.execute(database.root)
    return rows
  }
  const unmetered = async (): Promise<string | undefined> =>
    (await metrics.render()).split('\n').find((line) => line.startsWith('mesh_model_calls_unmetered_total'))
  return { url, metering, clock, events, lines, unmetered }
}

test('a drain appends the calls of a group in their order, each in a stream of its own', servers, async (t) => {
  const { metering, clock, events } = await setup(t)
  for (let n = 0; n < 20; n++) {
    clock.now = new Date(Date.parse('2026-01-01T00:00:00Z') + n)
    metering.answered(meteredCall(n))
  }
  assert.deepEqual(await events(), [])
  const others = { client: { close: async () => undefined }, reports: { close: () => undefined } }
  await providers.close?.({ adapters: [], ...others, metering } as never)
  const stored = await events()
  assert.deepEqual(
    stored.map(({ data, time, version }) => [data.inputTokens, time.getUTCMilliseconds(), version]),
    Array.from({ length: 20 }, (_, n) => [n, n, 1]),
  )
  assert.equal(new Set(stored.map(({ stream }) => stream)).size, 20)
})

test('a group whose commit was not confirmed is stored once, and the log has no content', servers, async (t) => {
  let attempts = 0
  const { metering, events, lines, unmetered } = await setup(t, (store) => ({
    ...store,
    transact: async (work) => {
      const result = await store.transact(work)
      if (++attempts === 1) throw new Fail('store_unavailable')
      return result
    },
  }))
  for (let n = 0; n < 3; n++) metering.answered(meteredCall(n, 'secret-model'))
  await metering.close()
  assert.deepEqual(
    (await events()).map(({ data }) => data.inputTokens),
    [0, 1, 2],
  )
  assert.match(lines.join(''), /model calls not metered, retrying/)
  assert.ok(!lines.join('').includes('secret-model'))
  assert.equal(await unmetered(), 'mesh_model_calls_unmetered_total 0')
})

test('a call that the store cannot hold is dropped alone, with a count and a log line', servers, async (t) => {
  const { metering, events, lines, unmetered } = await setup(t)
  for (const [n, model] of ['a', 'b', 'nul\0', 'c'].entries()) metering.answered(meteredCall(n, model))
  await metering.close()
  assert.deepEqual(
    (await events()).map(({ data }) => data.inputTokens),
    [0, 1, 3],
  )
  assert.equal(await unmetered(), 'mesh_model_calls_unmetered_total 1')
  assert.match(lines.join(''), /"reason":"refused"/)
  assert.ok(!lines.join('').includes('nul'))
})

test('a killed gateway loses at most the group that it has not appended, whole', servers, async (t) => {
  const { url, events } = await setup(t)
  const child = fork(fileURLToPath(import.meta.resolve('../testing/metering-process.ts')), [url])
  t.after(() => child.kill('SIGKILL'))
  const meter = async (count: number): Promise<void> => {
    child.send(count)
    await once(child, 'message')
  }
  await meter(40)
  while ((await events()).length < 40);
  await meter(30)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const stored = (await events()).map(({ data }) => data.inputTokens)
  assert.ok(stored.length === 40 || stored.length === 70, `${stored.length} events`)
  assert.deepEqual(
    stored,
    Array.from({ length: stored.length }, (_, n) => n),
  )
})
