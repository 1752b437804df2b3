import assert from 'node:assert/strict'
import test from 'node:test'
import type { NewEvent, StoredEvent } from '#core/event-store/event.ts'
import type { Database } from '#core/database/database.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { note } from '#core/event-store/testing/notes.ts'
import { on } from './consumer.ts'
import { inHandlerTransaction } from './handler-transaction.ts'

/** Handles events of these ids; returns what the handler appends. */
async function appendedBy(ids: readonly string[], event: NewEvent): Promise<readonly NewEvent[]> {
  const appended: NewEvent[] = []
  const tx: Tx = {
    tables: () => ({}) as never,
    append: async (_stream, _expected, events) => void appended.push(...events),
    appendEach: async (events) => void appended.push(...events.map((one) => one.event)),
    afterCommit: () => undefined,
  }
  const store = { transact: (fn: (given: Tx) => Promise<unknown>) => fn(tx) } as unknown as Store
  const options = { store, database: {} as Database, maxAttempts: 1, onDead: () => undefined }
  const consumer = on('library.reminders', 'all', { order: 'none', from: 'now' }, async (_events, context) => {
    await context.append('notes/a', 'any', [event])
    await context.appendEach([{ stream: 'notes/b', event }])
  })
  const events = ids.map((id) => ({ id }) as StoredEvent)
  await inHandlerTransaction(options, consumer, (_db, run) => run(events))
  return appended
}

const plugin = { name: 'plugin:library', kind: 'system' }

test('R2-C12: an event that a consumer appends names its plugin and the handled event', async () => {
  for (const { actor, causationId } of await appendedBy(['e1'], note(1)))
    assert.deepEqual({ actor, causationId }, { actor: plugin, causationId: 'e1' })
})

test('R2-C12: what the handler says itself is kept, and a batch has no cause of its own', async () => {
  const given = { actor: { name: 'jane', kind: 'user' as const }, causationId: 'own' }
  for (const { actor, causationId } of await appendedBy(['e1'], { ...note(1), ...given }))
    assert.deepEqual({ actor, causationId }, given)
  const ofBatch = await appendedBy(['e1', 'e2'], note(1))
  assert.equal(ofBatch.length, 2)
  for (const event of ofBatch) assert.deepEqual([event.actor, 'causationId' in event], [plugin, false])
})
