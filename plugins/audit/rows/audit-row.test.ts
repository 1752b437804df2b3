import assert from 'node:assert/strict'
import test from 'node:test'
import { KIND_OF_DATA, objectCreated } from '#core/controllers/objects/object-events.ts'
import { readSettings } from '#core/config/settings.ts'
import { accountActor } from '#core/event-store/event.ts'
import { parseYamlText } from '#core/config/yaml-file.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { interruptResolved, runCreated, runEvents } from '#plugins/runs/contract/events.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { audit } from '../index.ts'
import { toAuditRow } from './audit-row.ts'

import { columns, descriptors, made, seen, stored } from '../testing/rig.ts'

test('A8: every text of a row passes the allowlist of its column, or is redacted', () => {
  const canary = 'sk-canary/ {"password":"hunter2"}\n'
  const row = toAuditRow(
    {
      id: uuidV7(),
      type: requestOutcome.type,
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
  const guess = toAuditRow(stored(seen('update', '7', 'u-1', { actorGuess: 'my key is hunter2' })), descriptors)
  assert.equal(guess?.actor, 'manager:redacted')
  for (const actor of [
    'alice@example.org',
    'https://issuer.example/#a|b',
    'system:serviceaccount:ns:name',
    'Zoë Kravitz',
  ])
    assert.equal(toAuditRow({ ...stored(made('update', actor)) }, descriptors)?.actor, actor)
})

test('an event is audited if and only if its type has a descriptor', () => {
  const base = {
    id: 'e1',
    time: new Date(),
    subject: { namespace: 'demo', kind: 'Run', name: 'r1' },
    data: { token: 'x' },
  }
  const row = toAuditRow(
    { ...base, type: 'dev.mesh.sharing.created.v1', actor: { name: 'alice', kind: 'user' } },
    descriptors,
  )
  assert.deepEqual(row && [columns(row), row.detail], [
    {
      actor: 'alice',
      actor_kind: 'user',
      actor_exact: true,
      action: 'grant.create',
      resource_kind: 'RunShare',
      resource_name: 'r1',
      namespace: 'demo',
      source: 'bff',
      outcome: 'success',
    },
    {},
  ])
  assert.equal(toAuditRow({ ...base, type: 'dev.mesh.sharing.seen.v1' }, descriptors), undefined)
  assert.equal(descriptors.get(objectCreated.type)?.resourceKind, KIND_OF_DATA)
})

test('A12: AUDIT_RETENTION_DAYS of 0, negative or text refuses the start by name; the default is 90', () => {
  const read = (value?: string) =>
    readSettings(parseYamlText('', 'mesh.yaml'), value === undefined ? {} : { AUDIT_RETENTION_DAYS: value }, [audit])
  for (const value of ['0', '-1', 'ninety', '1.5', '1e3', ' 7', '99999999999999999999'])
    assert.throws(() => read(value), /AUDIT_RETENTION_DAYS/, value)
  const presets = { spoolMegabytes: 64, webhookMaxEvents: 1_000, webhookMegabytes: 16 }
  assert.deepEqual(read().slices.get('audit'), { ...presets, retentionDays: 90 })
  assert.deepEqual(read('7').slices.get('audit'), { ...presets, retentionDays: 7 })
})

test('PODS5: a guess has the prefix of field managers, whatever the name, and never equals an account', () => {
  for (const manager of ['system:serviceaccount:people:olga', 'alice@example.org', 'manager:x', 'system:admin']) {
    const event = stored(seen('update', '7', 'u-1', { actorGuess: manager }))
    const row = toAuditRow({ ...event, actor: { name: manager, kind: 'system' } }, descriptors)
    assert.deepEqual(
      [row?.actor, row?.actor_kind, row?.actor_exact],
      [`manager:${manager}`, 'controller', false],
      manager,
    )
  }
  const unknown = toAuditRow(stored(seen('delete', '8', 'u-1', { actorGuess: undefined })), descriptors)
  assert.deepEqual([unknown?.actor, unknown?.actor_kind, unknown?.actor_exact], ['unknown', 'system', false])
  const denied = { action: 'create', resourceKind: 'AgentTemplate', outcome: 'denied' }
  const anonymous = toAuditRow(
    { ...stored(made('create', 'unknown')), actor: { name: 'unknown', kind: 'user' }, data: denied },
    descriptors,
  )
  assert.equal(anonymous?.actor_exact, false)
})

test("PODA19: an account has one kind wherever it acts; rows of the platform's own acts are the controller's", () => {
  const account = 'system:serviceaccount:demo:agent'
  const run = { ...stored(made('x', account)), type: 'dev.mesh.sharing.created.v1' }
  const rowOf = (name: string, kind: 'user' | 'system' | 'controller') => {
    const row = toAuditRow({ ...run, actor: { name, kind } }, descriptors)
    return [row?.actor_kind, row?.source, row?.actor_exact]
  }
  assert.deepEqual(rowOf(account, 'user'), ['system', 'bff', true])
  assert.deepEqual(rowOf('alice', 'user'), ['user', 'bff', true])
  assert.deepEqual(rowOf('pruning', 'controller'), ['controller', 'controller', true])
  assert.deepEqual(rowOf('system:mesh:worker', 'system'), ['system', 'controller', true])
  assert.deepEqual(accountActor(account), { name: account, kind: 'system' })
  assert.deepEqual(accountActor('alice'), { name: 'alice', kind: 'user' })
})

test('the row of a created run has the kind of its trigger and nothing else of it', () => {
  const known = new Map([[runCreated.type, runCreated.audit ?? assert.fail()]])
  const detailOf = (trigger: unknown) => {
    const data = { runId: uuidV7(), subject: 'bob', trigger, labels: { team: 'sk-canary' } }
    return toAuditRow({ ...stored(made('x', 'alice')), type: runCreated.type, data }, known)?.detail
  }
  assert.deepEqual(detailOf({ kind: 'schedule', by: 'sk-canary' }), { subject: 'bob', trigger: 'schedule' })
  for (const odd of [undefined, null, 'api', {}, { kind: { a: 1 } }, { kind: 'a b' }, { kind: 'x'.repeat(41) }])
    assert.deepEqual(detailOf(odd), { subject: 'bob' }, JSON.stringify(odd))
})

test('UXH4: the action of a row is the decision, with its interrupt; without a decision it is resume', () => {
  const known = new Map(runEvents.flatMap(({ type, audit: how }) => (how === undefined ? [] : [[type, how] as const])))
  const rowOf = (decision: 'approve' | 'reject' | null, more = {}) => {
    const data = { runId: uuidV7(), interruptId: 'call_1', decision, payload: 'sk-canary', ...more }
    const row = toAuditRow({ ...stored(made('x', 'alice')), type: interruptResolved.type, data }, known)
    return [row?.action, row?.resource_kind, row?.actor, row?.detail]
  }
  assert.deepEqual(rowOf('approve'), ['approve', 'Run', 'alice', { interruptId: 'call_1', decision: 'approve' }])
  assert.deepEqual(rowOf('reject'), ['reject', 'Run', 'alice', { interruptId: 'call_1', decision: 'reject' }])
  const more = {
    tool: 'calculate',
    decisionReason: 'no numbers: 数字はだめ 🚫',
    edited: true,
    onReject: 'answer',
    subject: 'bob',
  }
  assert.deepEqual(rowOf('approve', more)[3], { interruptId: 'call_1', decision: 'approve', ...more })
  const bad = { tool: 'a b', decisionReason: 'two\nlines', edited: 'yes', onReject: 'end' }
  assert.deepEqual(rowOf('approve', bad)[3], { interruptId: 'call_1', decision: 'approve' })
  assert.deepEqual(rowOf(null), ['resume', 'Run', 'alice', { interruptId: 'call_1' }])
})
