import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { bareSettings } from '#core/host/testing/standalone-platform.ts'
import { readSettings } from '../settings.ts'
import { shownSettings } from './shown-settings.ts'

test('settings in effect are shown without strings that could be secrets', () => {
  const settings = Type.Object({
    days: Type.Integer({ default: 7 }),
    mode: Type.Enum(['fast', 'exact'], { default: 'fast' }),
    token: Type.String({ default: 'hunter2' }),
    nested: Type.Object({ on: Type.Boolean({ default: true }), url: Type.String({ default: 'https://u:p@host' }) }),
    list: Type.Array(Type.String(), { default: ['hunter3'] }),
  })
  const plugins = [{ name: 'one', settings }]
  const file = bareSettings()
  const env = { DATABASE_URL: 'postgres://user:hunter4@host/db' }
  const shown = shownSettings(readSettings(file, env, plugins), plugins)
  const { 'one.days': days, 'one.mode': mode, 'one.nested.on': on, profile } = shown
  assert.deepEqual([days, mode, on, profile], [7, 'fast', true, 'open'])
  assert.equal(shown['eventRetentionDays'], 30)
  assert.doesNotMatch(JSON.stringify(shown), /hunter|host/)
})
