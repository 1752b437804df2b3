import assert from 'node:assert/strict'
import test from 'node:test'
import { KIND_OF_DATA, objectCreated } from '#core/cluster/events.ts'
import { readSettings } from '#core/config/settings.ts'
import { parseYamlText } from '#core/config/yaml-file.ts'
import { uuidV7 } from '#core/store/uuid-v7.ts'
import { auditOutcome } from './events.ts'
import { audit } from './index.ts'
import { toRow } from './rows.ts'

import { columns, descriptors, made, seen, stored } from './testing/rig.ts'

test('A8: every text of a row passes its allowlist; what does not is not written', () => {
  const canary = 'sk-canary/ {"password":"hunter2"}\n'
  const row = toRow(
    {
      id: uuidV7(),
      type: auditOutcome.type,
      time: new Date(),
      subject: { namespace: canary, kind: canary, name: canary },
      actor: { name: canary, kind: 'user' },
      traceparent: `00-${canary}-x-01`,
      data: {
        action: canary,
        resourceKind: canary,
        outcome: canary,
        code: canary,
        uid: canary,
        resourceVersion: canary,
        more: canary,
      },
    },
    new Map(),
  )
  assert.ok(row)
  const { key: _key, eventKey: _eventKey, ...written } = row
  assert.doesNotMatch(JSON.stringify(written), /canary|hunter/)
  assert.deepEqual(
    [row.actor, row.action, row.resource_kind, row.resource_name, row.namespace, row.trace_id, row.detail],
    ['redacted', 'redacted', 'redacted', 'redacted', 'redacted', null, {}],
  )
  const guess = toRow({ ...stored(seen('update')), actor: { name: 'my key is hunter2', kind: 'system' } }, descriptors)
  assert.equal(guess?.actor, 'redacted')
  for (const actor of [
    'alice@example.org',
    'https://issuer.example/#a|b',
    'system:serviceaccount:ns:name',
    'Zoë Kravitz',
  ])
    assert.equal(toRow({ ...stored(made('update', actor)) }, descriptors)?.actor, actor)
})

test('any event with a descriptor is audited without audit knowing it; any other is not', () => {
  const base = {
    id: 'e1',
    time: new Date(),
    subject: { namespace: 'demo', kind: 'Run', name: 'r1' },
    data: { token: 'x' },
  }
  const row = toRow(
    { ...base, type: 'dev.mesh.sharing.created.v1', actor: { name: 'alice', kind: 'user' } },
    descriptors,
  )
  assert.deepEqual(row && [columns(row), row.detail], [
    {
      actor: 'alice',
      actor_kind: 'user',
      action: 'grant.create',
      resource_kind: 'RunShare',
      resource_name: 'r1',
      namespace: 'demo',
      source: 'bff',
      outcome: 'success',
    },
    {},
  ])
  assert.equal(toRow({ ...base, type: 'dev.mesh.sharing.seen.v1' }, descriptors), undefined)
  assert.equal(descriptors.get(objectCreated.type)?.resourceKind, KIND_OF_DATA)
})

test('A12: AUDIT_RETENTION_DAYS of 0, negative or text refuses to start and is named; absent it is 90', () => {
  const read = (value?: string) =>
    readSettings(parseYamlText('', 'mesh.yaml'), value === undefined ? {} : { AUDIT_RETENTION_DAYS: value }, [audit])
  for (const value of ['0', '-1', 'ninety', '1.5', '1e3', ' 7', '99999999999999999999'])
    assert.throws(() => read(value), /AUDIT_RETENTION_DAYS/, value)
  assert.deepEqual(read().slices.get('audit'), { retentionDays: 90, spoolMegabytes: 64 })
  assert.deepEqual(read('7').slices.get('audit'), { retentionDays: 7, spoolMegabytes: 64 })
})
