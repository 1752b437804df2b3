import assert from 'node:assert/strict'
import test from 'node:test'
import { auditDetails } from '#plugins/audit/rows/sanitize-columns.ts'
import { plugins } from '#plugins/index.ts'

test('A8: every detail that an event gives to the audit log is one that a row may have', () => {
  const events = plugins.flatMap((plugin) => plugin.events ?? [])
  const given = events.flatMap(({ type, audit }) => (audit?.detail ?? []).map((name) => ({ type, name })))
  const dropped = given.filter(({ name }) => !auditDetails.has(name.split('.')[0] ?? ''))
  assert.ok(given.length > 10)
  assert.deepEqual(dropped, [])
})
