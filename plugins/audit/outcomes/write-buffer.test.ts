import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { createLogger } from '#core/log/create-logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createWriteBuffer } from './write-buffer.ts'
import { openSpool } from '../spool/spool.ts'

const [adapter] = pluginAdapters

test('PODA1: an unreadable spool file is logged and does not end the process', async (t) => {
  assert.ok(adapter)
  const folder = tempFolder('spool')
  t.after(folder.remove)
  const spool = openSpool({ folder: folder.path, maxBytes: 100_000 })
  t.after(() => spool.close())
  spool.write('{"n":1}\n', false)
  for (const name of readdirSync(folder.path)) if (name.endsWith('.jsonl')) rmSync(join(folder.path, name))
  const failed = Promise.withResolvers<string>()
  const log = createLogger({ destination: { write: failed.resolve } })
  const store = createStore(await adapter.open(t), { projections: [] })
  // It reads the spool in the background.
  const buffer = createWriteBuffer({ store, spool, log, metrics: createMetrics() })
  assert.match(await failed.promise, /"code":"ENOENT".*the audit spool failed/)
  await buffer.close()
})
