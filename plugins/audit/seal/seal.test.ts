import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { createLogger } from '#core/log/create-logger.ts'
import { runForTest } from '#core/host/testing/run-command.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { adapters, pluginAdapters } from '#core/database/testing/databases.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { audit } from '../index.ts'
import { auditJobs } from '../jobs.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import type { AuditTables } from '../contract/tables.ts'
import { dropSealedDays } from '../store/drop-expired-days.ts'
import { writeRows } from '../store/write-rows.ts'
import { idOfRow as idOf, rowOf, startOfToday } from '../testing/rows.ts'
import { verify } from './verify.ts'

const dayMs = 86_400_000
const today = await startOfToday()
/** Noon of a day so many days ago. */
const noon = (ago: number): number => today - ago * dayMs + dayMs / 2
const dayOf = (ago: number): string => new Date(noon(ago)).toISOString().slice(0, 10)

for (const { name, skip, open } of pluginAdapters) {
  const setUp = async (t: TestContext) => {
    const own = { name: 'audit', migrations: new URL('../migrations/', import.meta.url) }
    const database = await open(t, [storeMigrations, own])
    const store = createStore(database, { projections: [] })
    const lines: string[] = []
    const log = createLogger({ destination: { write: (line) => lines.push(line) } })
    const core = { store, log, metrics: createMetrics(), now: () => new Date() }
    const write = (rows: readonly AuditRow[]) => store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
    const run = async (days = 90): Promise<void> => {
      // Without the hour of grace: the days of this test end at midnight at any time of day.
      const [job] = auditJobs(core, days, 0)
      const election = createLeaderElection({ database, holder: 'one', name: job?.name ?? '' })
      await election.run(async (term) => job?.run(term), new AbortController().signal)
    }
    const rows = () => store.reader<AuditTables>().selectFrom('audit_log').selectAll().orderBy('id').execute()
    return { store, core, lines, write, run, rows, root: database.root }
  }
  type Rig = Awaited<ReturnType<typeof setUp>>
  const check = (what: string, fn: (rig: Rig, t: TestContext) => Promise<void>) =>
    test(`${name}: ${what}`, { skip }, async (t) => fn(await setUp(t), t))

  // Three sealed days, one of them empty, and today; the oldest has more rows than a block.
  const sealed = async (rig: Rig): Promise<void> => {
    const old = Array.from({ length: 1_050 }, (_, n) => rowOf(n, noon(4) + n))
    await rig.write(old.slice(0, 500))
    await rig.write(old.slice(500, 1000))
    await rig.write([...old.slice(1000), rowOf(2000, noon(2)), rowOf(2001, noon(2) + 1), rowOf(3000, today)])
    await rig.run()
  }

  check(
    'A7: closed days are sealed once, in a chain, and heads are published; the open day is unchanged',
    async (rig) => {
      assert.deepEqual(await verify(rig.store), { ok: true, days: 0, rows: 0, last: undefined })
      await sealed(rig)
      await rig.run()
      const until = new RegExp(`^mesh_audit_sealed_until_seconds ${today / 1000}$`, 'm')
      assert.match(await rig.core.metrics.render(), until)
      const verdict = await verify(rig.store)
      assert.ok(verdict.ok)
      assert.deepEqual([verdict.days, verdict.rows, verdict.last?.day], [4, 1052, dayOf(1)])
      const published = rig.lines.flatMap((line) => {
        const { msg } = JSON.parse(line) as { msg: string }
        return msg.startsWith('mesh_audit_seal ') ? [JSON.parse(msg.slice(16)) as { day: string; head: string }] : []
      })
      assert.deepEqual(
        published.map(({ day }) => day),
        [4, 3, 2, 1].map(dayOf),
      )
      const events = await rig.store.readStream('audit/seals')
      assert.deepEqual(
        events.map(({ data }) => (data as { head: string }).head),
        published.map(({ head }) => head),
      )
      const heads = new Map(published.map(({ day, head }) => [day, head]))
      assert.ok((await verify(rig.store, heads)).ok)
      await rig.write([rowOf(3001, today + 1)])
      assert.ok((await verify(rig.store, heads)).ok)
    },
  )

  const id = (n: number) => sql`${idOf(n)}::uuid`
  const tamperings: readonly [string, (rig: Rig) => Promise<unknown>, object][] = [
    [
      'a changed row',
      (rig) => sql`update audit_log set actor = 'mallory' where id = ${id(1_007)}`.execute(rig.root),
      { day: dayOf(4), row: idOf(1_007), fault: 'changed' },
    ],
    [
      'changed detail',
      (rig) => sql`update audit_log set detail = '{"code":"x"}' where id = ${id(2_001)}`.execute(rig.root),
      { day: dayOf(2), row: idOf(2_001), fault: 'changed' },
    ],
    [
      'a deletion',
      (rig) => sql`delete from audit_log where id = ${id(17)}`.execute(rig.root),
      { day: dayOf(4), row: idOf(17), fault: 'missing' },
    ],
    [
      'a deletion at the end of a day',
      (rig) => sql`delete from audit_log where id = ${id(1_049)}`.execute(rig.root),
      { day: dayOf(4), row: idOf(1_049), fault: 'missing' },
    ],
    [
      'an insertion',
      (rig) =>
        sql`insert into audit_log select ${idOf(9_999)}::uuid, occurred_at, source, actor, actor_kind, action,
          resource_kind, resource_name, namespace, outcome, trace_id, detail from audit_log where id = ${id(2_000)}`.execute(
          rig.root,
        ),
      { day: dayOf(2), row: idOf(9_999), fault: 'inserted' },
    ],
    [
      'a moved row',
      (rig) =>
        sql`update audit_log set occurred_at = occurred_at + interval '1 millisecond' where id = ${id(2_000)}`.execute(
          rig.root,
        ),
      { day: dayOf(2), row: idOf(2_000), fault: 'changed' },
    ],
    [
      'a seal recomputed for its rows',
      (rig) => sql`update audit_seals set rows = rows + 1 where day = ${dayOf(2)}::date`.execute(rig.root),
      { day: dayOf(2), fault: 'seal' },
    ],
    [
      'a missing seal',
      (rig) => sql`delete from audit_seals where day = ${dayOf(3)}::date`.execute(rig.root),
      { day: dayOf(3), fault: 'seal' },
    ],
    [
      'row digests recomputed for changed rows',
      (rig) =>
        sql`update audit_seal_blocks set entries = substr(entries, 49) where day = ${dayOf(2)}::date`.execute(rig.root),
      { day: dayOf(2), fault: 'seal' },
    ],
  ]
  check('A7: verify names the first bad day and row', async (rig) => {
    await sealed(rig)
    for (const [what, tamper, expected] of tamperings) {
      const undo = new Error('undo')
      await rig.store
        .transact(async (tx) => {
          await tamper({ ...rig, root: tx.tables() })
          // In a transaction that is rolled back.
          const store = { ...rig.store, reader: () => tx.tables() } as typeof rig.store
          assert.deepEqual(await verify(store), { ok: false, ...expected }, what)
          throw undo
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error
        })
    }
    assert.ok((await verify(rig.store)).ok)
    const other = new Map([[dayOf(2), 'f'.repeat(64)]])
    assert.deepEqual(await verify(rig.store, other), { ok: false, day: dayOf(2), fault: 'unpublished' })
  })

  check('A7, A12: days dropped by retention have tombstones; verify names any other missing day', async (rig) => {
    await sealed(rig)
    await rig.run(3)
    const gone = await verify(rig.store)
    assert.ok(gone.ok, JSON.stringify(gone))
    assert.deepEqual(
      (await rig.rows()).map((row) => row.id),
      [2000, 2001, 3000].map(idOf),
    )
    const stones = await sql<{ day: string; rows: number; head: string }>`
      select day::text, rows::int, head from audit_tombstones order by id`.execute(rig.root)
    assert.deepEqual(
      stones.rows.map(({ day, rows }) => [day, rows]),
      [[dayOf(4), 1050]],
    )
    const reported = (await rig.store.readStream('audit/seals')).filter(({ type }) => type.includes('rows-removed'))
    assert.deepEqual(
      reported.map(({ data }) => (data as { head: string }).head),
      stones.rows.map(({ head }) => head),
    )
    for (const statement of [
      sql`update audit_tombstones set rows = 7`,
      sql`delete from audit_tombstones`,
      sql`update audit_tombstones set before = before + interval '1 day'`,
    ]) {
      const undo = new Error('undo')
      await rig.store
        .transact(async (tx) => {
          await statement.execute(tx.tables())
          const verdict = await verify({ ...rig.store, reader: () => tx.tables() } as typeof rig.store)
          assert.ok(!verdict.ok && verdict.day === dayOf(4), JSON.stringify(verdict))
          throw undo
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error
        })
    }
  })

  check('A7, A12: three concurrent leaders drop each day once; the boundary day is kept', async (rig) => {
    await rig.write([rowOf(0, noon(3)), rowOf(1, noon(3) + 1), rowOf(2, noon(2)), rowOf(3, noon(1))])
    await rig.run()
    const prune = () => rig.store.transact((tx) => dropSealedDays(tx.tables<AuditTables>(), 2))
    const stones = await Promise.all([prune(), prune(), prune()])
    assert.deepEqual(
      stones.flat().map(({ day, rows }) => [day, rows]),
      [[dayOf(3), 2]],
    )
    assert.deepEqual(
      (await rig.rows()).map((row) => row.id),
      [2, 3].map(idOf),
    )
    assert.ok((await verify(rig.store)).ok)
    await sql`delete from audit_log where id = ${id(2)}`.execute(rig.root)
    assert.deepEqual(await verify(rig.store), { ok: false, day: dayOf(2), row: idOf(2), fault: 'missing' })
  })

  check('A7: a report of a sealed day is a row of the open day; sealed rows do not change', async (rig) => {
    await sealed(rig)
    const caller = { actor: 'alice', actor_kind: 'user', source: 'bff', actor_exact: true } as const
    const denied = { ...caller, outcome: 'denied', detail: { count: 1 } } as const
    const late = [
      rowOf(5000, noon(2) + 5),
      rowOf(2000, noon(2), caller),
      rowOf(5001, noon(2), { ...denied, key: 'denied/1/x' }),
      rowOf(5002, noon(2), { ...denied, key: 'denied/1/x' }),
    ]
    for (let times = 0; times < 3; times++) await rig.write(late)
    assert.ok((await verify(rig.store)).ok)
    const added = (await rig.rows()).filter((row) => row.detail['occurredAt'] !== undefined)
    assert.deepEqual(
      added.map((row) => [row.actor, row.detail['amends'], row.occurred_at.getTime() >= today]).toSorted(),
      [
        ['alice', undefined, true],
        ['alice', undefined, true],
        ['alice', idOf(2000), true],
        ['manager:kubectl', undefined, true],
      ].toSorted(),
    )
  })
}

test('mesh audit verify: exit codes, both outputs, and errors of arguments', { skip: adapters[1].skip }, async () => {
  const run = (args: readonly string[]) => runForTest('audit verify', args, { plugins: [audit] })
  for (const args of [['--bad'], ['--head', 'x'], ['--output', 'xml'], ['more']]) {
    const { code, err } = await run(args)
    assert.equal(code, 2, args.join(' '))
    assert.match(err, /usage: mesh audit verify/)
  }
  const { code, err } = await run([])
  assert.deepEqual([code, err], [1, 'mesh: DATABASE_URL: required by this command\n'])
})
