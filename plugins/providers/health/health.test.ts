import assert from 'node:assert/strict'
import test from 'node:test'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import type { Kysely } from 'kysely'
import { withTables } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import type { MeteredModelCall } from '../contract/events.ts'
import type { ProvidersTables } from '../contract/tables.ts'
import { addAttempts, attemptsOf, KEPT_ATTEMPTS, unseen } from './attempts.ts'
import type { MeteredAttempt } from './attempts.ts'
import { forgetProvider, readSeen, recordAttempts } from '../store/health-rows.ts'
import { toHealth } from './to-health.ts'

const now = new Date('2026-11-20T08:00:00Z')
const since = new Date('2026-11-01T00:00:00Z')
const minutesAgo = (minutes: number): number => now.getTime() - minutes * 60_000
const ok = (minutes: number, firstByteMs = 100): MeteredAttempt => ({
  provider: 'demo/acme',
  at: minutesAgo(minutes),
  reason: undefined,
  firstByteMs,
})
const bad = (minutes: number, reason = 'timeout'): MeteredAttempt => ({ ...ok(minutes, -1), reason })
const healthOf = (attempts: readonly MeteredAttempt[]) => toHealth(addAttempts(unseen, attempts), { now, since })

test('health is that of the last attempts of fifteen minutes', () => {
  assert.deepEqual(healthOf([]), {
    state: 'unknown',
    lastSuccessAt: null,
    lastErrorAt: null,
    lastErrorClass: null,
    p50Ms: null,
  })
  assert.equal(healthOf([ok(1), ok(2), ok(3)]).state, 'healthy')
  assert.equal(healthOf([...Array.from({ length: 19 }, () => ok(1)), bad(2)]).state, 'degraded')
  assert.equal(healthOf([...Array.from({ length: 20 }, () => ok(1)), bad(2)]).state, 'healthy')
  assert.equal(healthOf([ok(1), bad(2)]).state, 'failing')
  assert.deepEqual(healthOf([ok(16), bad(20, 'key_refused')]), {
    state: 'unknown',
    lastSuccessAt: '2026-11-20T07:44:00.000Z',
    lastErrorAt: '2026-11-20T07:40:00.000Z',
    lastErrorClass: 'key_refused',
    p50Ms: null,
  })
  assert.equal(healthOf([ok(1, 10), ok(1, 30), ok(1, 20), bad(1)]).p50Ms, 20)
  // Before the object was created, another one had its name.
  assert.equal(toHealth(addAttempts(unseen, [bad(1)]), { now, since: now }).lastErrorAt, null)
})

test('attempts at providers are those that reached them', () => {
  const call = { provider: 'demo/b', status: 200, firstByteMs: 7 } as MeteredModelCall
  const failed = ['timeout', 'request_refused', 'provider_missing'].map((reason) => ({ provider: 'demo/a', reason }))
  assert.deepEqual(
    attemptsOf({ ...call, failed }, now).map(({ provider, reason }) => [provider, reason]),
    [
      ['demo/a', 'timeout'],
      ['demo/b', undefined],
    ],
  )
  assert.deepEqual(attemptsOf({ ...call, status: 400 }, now), [])
})

test('rows keep the newest attempts of each provider, in any order of events', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [{ name: 'providers', migrations: new URL('../migrations/', import.meta.url) }])
  const db = withTables<ProvidersTables>(database.db as unknown as Kysely<unknown>)
  const many = Array.from({ length: 80 }, (_, index) => ok(index / 60, index))
  await recordAttempts(db, [...many, { ...ok(1), provider: 'demo/other' }])
  await recordAttempts(db, [bad(0.5), ok(300)])
  await recordAttempts(db, [bad(14, 'old')])
  const seen = await readSeen(db, ['demo/acme', 'demo/none'])
  assert.deepEqual([...seen.keys()], ['demo/acme'])
  const acme = seen.get('demo/acme')
  assert.deepEqual(
    [acme?.attempts.length, acme?.lastSuccessAt, acme?.lastErrorAt, acme?.lastErrorClass],
    [KEPT_ATTEMPTS, minutesAgo(0), minutesAgo(0.5), 'timeout'],
  )
  await forgetProvider(db, 'demo', 'acme')
  assert.equal((await readSeen(db, ['demo/acme'])).size, 0)
})
