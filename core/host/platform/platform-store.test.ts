import assert from 'node:assert/strict'
import test from 'node:test'
import { everyNamespace } from '#core/cluster/served-namespaces.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { defineEvent } from '#core/event-store/event.ts'
import { note, noted } from '#core/event-store/testing/notes.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { coreMigrations, migrateStore, openPlatformStore } from './platform-store.ts'
import type { PlatformNeeds } from './platform.ts'
import type { SharedParts } from './shared-parts.ts'

test('CON7: the store of a role refuses an event that no plugin declares', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  const log = createLogger({ destination: { write: () => undefined } })
  const shared: SharedParts = {
    database,
    bus: createMemoryBus({}, log),
    cluster: { server: 'http://127.0.0.1:1', tls: {}, bearerOf: () => undefined },
    served: everyNamespace,
    install: 'mesh',
    eventRetentionDays: 7,
    log,
    metrics: createMetrics(),
  }
  const needs: PlatformNeeds = { role: 'bff', projections: () => [], eventTypes: [noted], migrations: [] }
  await migrateStore(shared, needs, coreMigrations)
  const opened = await openPlatformStore(shared, needs, coreMigrations)
  assert.ok(opened !== undefined)
  await opened.check()
  await opened.store.transact((tx) => tx.append('notes/a', 0, [note(1)]))
  const other = defineEvent({ plugin: 'notes', fact: 'other', summary: 'x', data: noted.data })
  await assert.rejects(
    opened.store.transact((tx) => tx.append('notes/a', 1, [{ ...note(2), type: other }])),
    { message: /^the event dev\.mesh\.notes\.other\.v1 is declared by no plugin/ },
  )
  assert.equal((await opened.store.readStream('notes/a')).length, 1)
})
