import assert from 'node:assert/strict'
import test from 'node:test'
import type { Role } from '#core/config/profile.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { openLogFeed } from './open-log-feed.ts'

const all: readonly Role[] = ['bff', 'gateway', 'state', 'worker', 'manager']
const natsUrl = 'nats://127.0.0.1:1'

test('R2-P4: a process follows the log itself if it runs every role on NATS', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  const isFed = (needs: Partial<Parameters<typeof openLogFeed>[0]>): boolean =>
    openLogFeed({ natsUrl, roles: all, database, ...needs }) !== undefined
  assert.equal(isFed({}), true)
  assert.equal(isFed({ roles: ['migrate', ...all] }), true)
  for (const missing of all) assert.equal(isFed({ roles: all.filter((role) => role !== missing) }), false, missing)
  assert.equal(isFed({ roles: ['worker'] }), false)
  assert.equal(isFed({ natsUrl: undefined }), false)
  assert.equal(isFed({ database: undefined }), false)
})
