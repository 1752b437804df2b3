import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import { createOutcomes } from './outcomes/outcomes.ts'
import type { AuditRow } from './rows/audit-row.ts'
import type { AuditTables } from './contract/tables.ts'
import { writeRows } from './store/write-rows.ts'

import { check, columns, denial, made, rowOf, seen, shuffled, trace } from './testing/rig.ts'

check(
  'A4: one row per change, in any order of reports, in one batch or two; the caller replaces the guess',
  async (rig) => {
    const orders = [
      ['u-1', (uid: string) => [seen('update', '7', uid), made('update', 'alice', { uid, resourceVersion: '7' })]],
      ['u-2', (uid: string) => [made('update', 'alice', { uid, resourceVersion: '7' }), seen('update', '7', uid)]],
    ] as const
    const results: unknown[] = []
    for (const [base, eventsOf] of orders) {
      await rig.append(...eventsOf(`${base}-together`))
      await rig.settle()
      for (const event of eventsOf(`${base}-apart`)) {
        await rig.append(event)
        await rig.settle()
      }
    }
    for (const row of await rig.rows()) {
      const { uid, ...detail } = row.detail
      assert.match(String(uid), /^u-[12]-/)
      results.push({ ...columns(row), trace_id: row.trace_id, detail })
    }
    const expected = {
      actor: 'alice',
      actor_kind: 'user',
      actor_exact: true,
      action: 'update',
      resource_kind: 'AgentTemplate',
      resource_name: 'one',
      namespace: 'demo',
      source: 'controller',
      outcome: 'success',
      trace_id: trace,
      detail: { resourceVersion: '7' },
    }
    assert.deepEqual(results, [expected, expected, expected, expected])
  },
)

check(
  'A4: an exact caller never replaces another; updates differ by version, create and delete do not',
  async (rig) => {
    await rig.append(made('update', 'alice'), seen('update'))
    await rig.settle()
    await rig.append(made('update', 'mallory'), made('update', 'bob', { uid: 'u-1', resourceVersion: '8' }))
    await rig.append(seen('create', '5'), seen('delete', '9', 'u-1', { late: true }))
    await rig.append({
      ...made('delete', 'carol'),
      data: { action: 'delete', resourceKind: 'AgentTemplate', outcome: 'success', uid: 'u-1' },
    })
    await rig.settle()
    const found = (await rig.rows()).map(({ action, actor, source, detail }) => [
      action,
      actor,
      source,
      detail['late'] ?? false,
    ])
    assert.deepEqual(found.toSorted(), [
      ['create', 'manager:kubectl', 'controller', false],
      ['delete', 'carol', 'controller', true],
      ['update', 'alice', 'controller', false],
      ['update', 'bob', 'bff', false],
    ])
  },
)

check(
  'A4: five replays, by bus, with a lost inbox and by four concurrent replicas, write the same rows',
  async (rig) => {
    const outcomes = createOutcomes(rig.core)
    for (let n = 0; n < 3; n++) outcomes.record(denial('dave'))
    outcomes.record(denial('erin', { outcome: 'error', code: 'conflict' }))
    await outcomes.close()
    const events = ['1', '2', '3'].flatMap((version) => [
      seen('update', version),
      { ...made('update', `user-${version}`, { uid: 'u-1', resourceVersion: version }), id: `outcome-${version}` },
    ])
    for (let times = 0; times < 5; times++) await rig.append(...shuffled(events))
    await rig.settle()
    const once = await rig.rows()
    assert.equal(once.length, 5)
    assert.deepEqual(once.find(({ outcome }) => outcome === 'denied')?.detail, { code: 'forbidden', count: 3 })
    for (let times = 0; times < 5; times++) {
      await sql`delete from inbox`.execute(rig.database.root)
      await sql`update cursor set position = 0 where stream = '*'`.execute(rig.database.root)
      await rig.settle()
    }
    assert.ok(rig.handled() > 5 * once.length, 'everything came again')
    assert.deepEqual(await rig.rows(), once)
    const fresh = Array.from({ length: 40 }, (_, n) => rowOf(n, new Date(Date.now() - n * 3_600_000)))
    const write = (rows: readonly AuditRow[]) =>
      rig.store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
    await Promise.all(Array.from({ length: 4 }, () => write(shuffled(fresh))))
    assert.equal((await rig.rows()).length, once.length + fresh.length)
    // New rows on a day without a partition.
    const day = new Date(Date.now() - 50 * 86_400_000)
    await Promise.all(Array.from({ length: 8 }, (_, n) => write([rowOf(100 + n, day)])))
    assert.equal((await rig.rows()).length, once.length + fresh.length + 8)
  },
)

check('denials of one actor, verb and resource within a minute are one row with a count', async (rig) => {
  let now = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 120_000)
  const outcomes = createOutcomes({ ...rig.core, now: () => now })
  for (let n = 0; n < 4; n++) outcomes.record(denial('dave'))
  outcomes.record(denial('erin'))
  outcomes.record(denial('dave', { action: 'delete' }))
  outcomes.record(denial('dave', { name: 'other' }))
  await outcomes.close()
  await rig.settle()
  now = new Date(now.getTime() + 59_999)
  outcomes.record(denial('dave'))
  now = new Date(now.getTime() + 1)
  outcomes.record(denial('dave'))
  await outcomes.close()
  await rig.settle()
  const found = (await rig.rows()).map((row) => [
    row.actor,
    row.action,
    row.resource_name,
    row.detail['count'],
    row.source,
  ])
  assert.deepEqual(found.toSorted(), [
    ['dave', 'create', 'one', 1, 'bff'],
    ['dave', 'create', 'one', 5, 'bff'],
    ['dave', 'create', 'other', 1, 'bff'],
    ['dave', 'delete', 'one', 1, 'bff'],
    ['erin', 'create', 'one', 1, 'bff'],
  ])
})

check('events that are not audited are not delivered to the audit log', async (rig) => {
  const unaudited = defineEvent({ plugin: 'notes', fact: 'counted', summary: 'A number.', data: Type.Object({}) })
  const subject = { namespace: 'demo', kind: 'Note', name: 'one' }
  await rig.append({ type: unaudited, subject, data: {} }, made('update', 'alice'))
  await rig.settle()
  assert.equal(rig.handled(), 1)
  assert.equal((await rig.rows()).length, 1)
})
