import assert from 'node:assert/strict'
import test from 'node:test'
import { prepareStateStore } from './open-state-store.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { CoreSettings } from '#core/config/core-settings.ts'

const settings = (redisUrl?: string) =>
  ({ install: 'mesh', ...(redisUrl === undefined ? {} : { redisUrl }) }) as CoreSettings
const report = { log: createLogger({ level: 'error' }), metrics: createMetrics() }

test('only a process with the state role has a state store, and one of that role alone needs REDIS_URL', async () => {
  const storeOf = (roles: readonly ('bff' | 'state')[], url?: string) =>
    prepareStateStore(settings(url), roles, () => 'REDIS_URL')(report)
  assert.equal(await storeOf(['bff'], 'redis://127.0.0.1:1'), undefined)
  assert.equal(await storeOf(['state']), undefined)
  await (await storeOf(['state', 'bff']))?.check()
  const redis = await storeOf(['state'], 'redis://127.0.0.1:1')
  await assert.rejects(async () => redis?.check(), { code: 'state_store_unavailable' })
  await redis?.close()
})

test('a wrong REDIS_URL ends the start before anything is opened', () => {
  const prepare = () => prepareStateStore(settings('http://u:p4ss@a'), ['state'], () => 'mesh.yaml: redisUrl')
  assert.throws(prepare, /^SettingsError: mesh.yaml: redisUrl: must be redis:(?!.*p4ss)/)
})
