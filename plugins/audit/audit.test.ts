import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { KIND_OF_DATA, objectCreated, objectDeleted, objectUpdated } from '#core/cluster/events.ts'
import type { Access } from '#core/cluster/access.ts'
import { readSettings } from '#core/config/settings.ts'
import { parseYamlText } from '#core/config/yaml-file.ts'
import { runConsumers } from '#core/events/consumer-runner.ts'
import type { AuditDescriptor, NewEvent, StoredEvent } from '#core/events/event.ts'
import { createMemoryBus } from '#core/events/memory-bus.ts'
import { Fail } from '#core/http/errors.ts'
import type { Outcome } from '#core/http/points.ts'
import { buildServer, DENIED } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createStore } from '#core/store/create-store.ts'
import { createLeadership } from '#core/store/leadership.ts'
import { migrate, storeMigrations } from '#core/store/migrate.ts'
import type { Store, Tx } from '#core/store/store.ts'
import { adapters } from '#core/store/testing/databases.ts'
import { uuidV7 } from '#core/store/uuid-v7.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { createAudit } from './audit.ts'
import { auditConsumers } from './consumers.ts'
import { auditOutcome } from './events.ts'
import { audit } from './index.ts'
import { auditJobs } from './jobs.ts'
import { createOutcomes } from './outcomes.ts'
import { auditRoutes } from './routes.ts'
import { toRow, type AuditRow } from './rows.ts'
import type { AuditTables } from './store/tables.ts'
import { writeRows } from './store/write.ts'

type Row = AuditTables['audit_log']

interface Page {
  readonly items: readonly AuditEvent[]
  readonly nextCursor: string | null
}

const migrations = [storeMigrations, { name: 'audit', migrations: new URL('./migrations/', import.meta.url) }]
const trace = 'a'.repeat(32)
const traceparent = `00-${trace}-${'b'.repeat(16)}-01`
const shared: AuditDescriptor = { action: 'grant.create', resourceKind: 'RunShare' }
const descriptors = new Map<string, AuditDescriptor>([
  ...[objectCreated, objectUpdated, objectDeleted].flatMap(({ type, audit: how }): [string, AuditDescriptor][] =>
    how === undefined ? [] : [[type, how]],
  ),
  ['dev.mesh.sharing.created.v1', shared],
])

/** A change as an informer tells it. */
function seen(action: 'create' | 'update' | 'delete', resourceVersion = '7', uid = 'u-1', more: object = {}): NewEvent {
  const type = { create: objectCreated, update: objectUpdated, delete: objectDeleted }[action]
  return {
    type,
    id: `${uid}-${action}-${resourceVersion}`,
    subject: { namespace: 'demo', kind: 'AgentTemplate', name: 'one', uid },
    actor: { name: 'kubectl', kind: 'system' },
    data: { group: 'mesh.dev', kind: 'AgentTemplate', uid, resourceVersion, specHash: 'x', ...more },
  }
}

/** The same change as the BFF tells it. */
function made(action: string, actor: string, object = { uid: 'u-1', resourceVersion: '7' }): NewEvent {
  return {
    type: auditOutcome,
    subject: { namespace: 'demo', kind: 'AgentTemplate', name: 'one' },
    actor: { name: actor, kind: 'user' },
    traceparent,
    data: { action, resourceKind: 'AgentTemplate', outcome: 'success', ...object },
  }
}

function denial(actor: string, more: Partial<Outcome> = {}): Outcome {
  const what = { action: 'create', resourceKind: 'AgentTemplate', namespace: 'demo', name: 'one' }
  return { actor, ...what, outcome: 'denied', code: 'forbidden', traceparent, ...more }
}

const columns = (row: Row) => ({
  actor: row.actor,
  actor_kind: row.actor_kind,
  action: row.action,
  resource_kind: row.resource_kind,
  resource_name: row.resource_name,
  namespace: row.namespace,
  source: row.source,
  outcome: row.outcome,
})

for (const { name, skip, open } of adapters) {
  const setUp = async (t: TestContext) => {
    const database = await open(t)
    await migrate(database, migrations)
    const store = createStore(database, { projections: [] })
    const bus = createMemoryBus()
    t.after(() => bus.close())
    const lines: string[] = []
    const core = {
      store,
      metrics: createMetrics(),
      log: createLogger({ destination: { write: (line) => lines.push(line) } }),
      now: () => new Date(),
    }
    let handled = 0
    const consumers = auditConsumers(() => descriptors, 90).map((consumer) => ({
      ...consumer,
      handle: (events: readonly StoredEvent[], tx: Tx) => {
        handled += events.length
        return consumer.handle(events, tx)
      },
    }))
    const running = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
    t.after(() => running.stop())
    const append = (...events: readonly NewEvent[]) =>
      store.transact((tx) =>
        events.reduce((done, event) => done.then(() => tx.append('t', 'any', [event])), Promise.resolve()),
      )
    const rows = (): Promise<Row[]> =>
      store.reader<AuditTables>().selectFrom('audit_log').selectAll().orderBy('action').execute()
    return { database, store, core, lines, append, rows, settle: () => running.sweepNow(), handled: () => handled }
  }
  const check = (what: string, fn: (rig: Awaited<ReturnType<typeof setUp>>, t: TestContext) => Promise<void>) =>
    test(`${name}: ${what}`, { skip, timeout: 60_000 }, async (t) => fn(await setUp(t), t))

  check(
    'A4: one row a change, whoever tells it first, in one batch or two; the caller replaces the guess',
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
        ['create', 'kubectl', 'controller', false],
        ['delete', 'carol', 'controller', true],
        ['update', 'alice', 'controller', false],
        ['update', 'bob', 'bff', false],
      ])
    },
  )

  check(
    'A4: replayed five times, by bus, with a lost inbox and by four replicas at once: the same rows',
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
        rig.store.transact((tx) => writeRows(tx.db.withTables<AuditTables>(), rows, 90))
      await Promise.all(Array.from({ length: 4 }, () => write(shuffled(fresh))))
      assert.equal((await rig.rows()).length, once.length + fresh.length)
      // Rows of their own on a day that nobody has made yet.
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

  check(
    'C2: a walk during inserts sees every row of the start once; C1: cursors are bound; A9: so is the namespace',
    async (rig, t) => {
      const at = Date.now() - 60_000
      // Ten rows share each millisecond: the id breaks the tie.
      const start = Array.from({ length: 200 }, (_, n) => rowOf(n, new Date(at - Math.floor(n / 10))))
      const write = (rows: readonly AuditRow[]) =>
        rig.store.transact((tx) => writeRows(tx.db.withTables<AuditTables>(), rows, 90))
      await write(start)
      await write([{ ...rowOf(999, new Date(at)), namespace: 'elsewhere' }])
      const { app } = await buildServer(t, [{ endpoints: [], routes: auditRoutes(createAudit(rig.store, 90)) }])
      const get = (query: string, token = 'good-token') =>
        app.inject({ url: `/api/audit?${query}`, headers: { authorization: `Bearer ${token}` } })
      const ids: string[] = []
      const inserting = insertMeanwhile(write, at)
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = (await get(`namespace=demo&limit=17${cursor === '' ? '' : `&cursor=${cursor}`}`)).json()
        ids.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      t.diagnostic(`${await inserting} rows/s were written meanwhile`)
      assert.equal(new Set(ids).size, ids.length, 'no duplicate')
      const walked = new Set(ids)
      assert.deepEqual(
        start.filter(({ id }) => !walked.has(id)),
        [],
        'every row of the start',
      )
      const first: Page = (await get('namespace=demo&limit=3')).json()
      const cursor = first.nextCursor ?? ''
      // A cursor carries no right: in the hands of a caller who may not read it shows nothing.
      const moved = `namespace=demo&limit=3&cursor=${cursor}`
      assert.equal((await get(moved)).json<Page>().items.length, 3)
      const refused = await get(moved, DENIED)
      assert.deepEqual([refused.statusCode, refused.json<{ items?: unknown }>().items], [403, undefined])
      for (const query of [
        `namespace=elsewhere&cursor=${cursor}`,
        `cursor=${cursor}`,
        `namespace=demo&actor=x&cursor=${cursor}`,
        `namespace=demo&cursor=${cursor}x`,
      ])
        assert.equal((await get(query)).statusCode, 400, query)
      assert.deepEqual(
        (await get('namespace=elsewhere')).json<Page>().items.map(({ namespace }) => namespace),
        ['elsewhere'],
      )
      assert.equal((await get('namespace=elsewhere')).json<Page>().nextCursor, null)
      assert.deepEqual((await get('actor=nobody')).json(), { items: [], nextCursor: null })
      assert.equal((await get('kind=AgentTemplate&action=update&actor=user&limit=200')).json<Page>().items.length, 200)
      for (const query of [
        'limit=0',
        'limit=-1',
        'limit=201',
        'limit=x',
        'offset=1',
        'namespace=..',
        'namespace=a&namespace=b',
      ])
        assert.equal((await get(query)).statusCode, 400, query)
      const denied = await get('namespace=demo', DENIED)
      assert.equal(denied.statusCode, 403)
      assert.equal(
        (await app.inject({ method: 'POST', url: '/api/audit', headers: { authorization: 'Bearer good-token' } }))
          .statusCode,
        405,
      )
    },
  )

  check(
    'A12: retention hides what is older to the instant and drops whole days, by the database clock',
    async (rig) => {
      const hour = 3_600_000
      const cluster = { namespace: '' } as Access<'list', 'auditlogs'>
      const listed = async () => (await createAudit(rig.store, 2).list(cluster, {}, { limit: 50 })).map(({ id }) => id)
      const ages = [0, 1, 47, 49, 60, 96, 120]
      const times = ages.map((hours) => new Date(Date.now() - hours * hour))
      await rig.store.transact((tx) =>
        writeRows(
          tx.db.withTables<AuditTables>(),
          times.map((time, n) => rowOf(n, time)),
          3650,
        ),
      )
      const young = times.slice(0, 3).map((time, n) => rowOf(n, time).id)
      assert.deepEqual(await listed(), young, 'hidden before anything is dropped')
      const prune = async (core: Parameters<typeof auditJobs>[0], days: number) => {
        const [job] = auditJobs(core, days)
        const leadership = createLeadership({ database: rig.database, holder: 'one', name: job?.name ?? '' })
        await leadership.run(async (term) => job?.run(term), new AbortController().signal)
      }
      // A process whose clock is a year ahead deletes nothing more.
      const ahead = { ...rig.core, now: () => new Date(Date.now() + 365 * 24 * hour) }
      await prune(ahead, 2)
      assert.deepEqual(await listed(), young)
      const { rows: days } = await sql<{ day: string }>`select relname as day from pg_inherits
      join pg_class on oid = inhrelid where inhparent = 'audit_log'::regclass`.execute(rig.database.root)
      const dayOf = (time: Date): string => time.toISOString().slice(0, 10).replaceAll('-', '')
      const oldest = dayOf(new Date(Date.now() - 48 * hour))
      assert.deepEqual(
        days.filter(({ day }) => day < `audit_log_${oldest}`),
        [],
        'older days are dropped, not emptied',
      )
      const inDays = times.filter((time) => dayOf(time) >= oldest).length
      assert.equal((await rig.rows()).length, inDays, 'the boundary day is whole')
      const metrics = await rig.core.metrics.render()
      assert.match(metrics, new RegExp(`^mesh_audit_pruned_rows_total ${times.length - inDays}$`, 'm'))
      assert.match(metrics, /^mesh_audit_prune_failures_total 0$/m)
      assert.match(metrics, /^mesh_audit_prune_last_success_seconds [1-9]/m)
      // What is older than the window is not made again by a replay; its day is gone.
      await rig.store.transact((tx) =>
        writeRows(tx.db.withTables<AuditTables>(), [rowOf(6, times[6] ?? new Date())], 2),
      )
      assert.equal((await rig.rows()).length, inDays)
      // A leader that lost its term deletes nothing and says so.
      await auditJobs(rig.core, 1)[0]?.run({ epoch: 0n, signal: new AbortController().signal })
      assert.equal((await rig.rows()).length, inDays)
      assert.match(await rig.core.metrics.render(), /^mesh_audit_prune_failures_total 1$/m)
    },
  )

  check(
    'A1: while the store is away outcomes wait; rows and counted drops are all there is, each drop with its line',
    async (rig) => {
      let away = true
      const flaky: Store = {
        ...rig.store,
        transact: async (fn) => {
          if (away) throw new Fail('store_unavailable')
          return rig.store.transact(fn)
        },
      }
      const outcomes = createOutcomes({ ...rig.core, store: flaky })
      const told = 10_020
      for (let n = 0; n < told; n++)
        outcomes.record(denial('dave', { name: `n${n}`, outcome: 'error', code: 'conflict' }))
      await new Promise((resolve) => setTimeout(resolve, 80))
      away = false
      await outcomes.close()
      await rig.settle()
      const rows = (await rig.rows()).length
      const drops = Number(/^mesh_audit_dropped_rows_total (\d+)$/m.exec(await rig.core.metrics.render())?.[1])
      assert.deepEqual([rows + drops, drops], [told, 20])
      const lines = rig.lines
        .map((line) => (JSON.parse(line) as { msg: string }).msg)
        .filter((msg) => msg.startsWith('mesh_audit {'))
      const ids = lines.map((line) => (JSON.parse(line.slice('mesh_audit '.length)) as { event_id: string }).event_id)
      assert.equal(new Set(ids).size, 20)
      away = true
      outcomes.record(denial('erin'))
      await outcomes.close()
      assert.match(await rig.core.metrics.render(), /^mesh_audit_dropped_rows_total 21$/m)
    },
  )

  check('one outcome that no store takes is dropped alone', async (rig) => {
    const outcomes = createOutcomes(rig.core)
    outcomes.record(denial('dave'))
    outcomes.record(denial('nul\0nul'))
    outcomes.record(denial('erin'))
    await outcomes.close()
    await rig.settle()
    assert.deepEqual((await rig.rows()).map(({ actor }) => actor).toSorted(), ['dave', 'erin'])
    assert.match(await rig.core.metrics.render(), /^mesh_audit_dropped_rows_total 1$/m)
  })
}

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

test('without a store GET /api/audit is 501, and what was denied is a greppable line without a secret', async (t) => {
  const { app } = await buildServer(t, [{ endpoints: [], routes: auditRoutes(undefined) }])
  const get = (url: string, headers: object = { authorization: 'Bearer good-token' }) =>
    app.inject({ url, headers: { ...headers } })
  const answer = await get('/api/audit?limit=-1')
  assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [501, 'not_wired'])
  assert.equal((await get('/api/audit', {})).statusCode, 401)
  const lines: string[] = []
  const log = createLogger({ destination: { write: (line) => lines.push(line) } })
  const outcomes = createOutcomes({ store: undefined, log, metrics: createMetrics(), now: () => new Date(0) })
  outcomes.record(denial('dave', { name: 'bad name sk-canary' }))
  await outcomes.close()
  const { msg } = JSON.parse(lines[0] ?? '') as { msg: string }
  assert.match(msg, /^mesh_audit \{/)
  const { event_id: id, ...row } = JSON.parse(msg.slice('mesh_audit '.length)) as Record<string, unknown>
  assert.match(String(id), /^[0-9a-f-]{36}$/)
  assert.deepEqual(row, {
    actor: 'dave',
    action: 'create',
    resource_kind: 'AgentTemplate',
    resource_name: 'redacted',
    namespace: 'demo',
    trace_id: trace,
    detail: { code: 'forbidden', count: 1 },
    occurred_at: '1970-01-01T00:00:00.000Z',
    actor_kind: 'user',
    source: 'bff',
    outcome: 'denied',
  })
  assert.equal(lines.length, 1)
})

function rowOf(n: number, time: Date): AuditRow {
  const event = seen('update', String(n + 1), `uid-${n}`)
  const row = toRow({ ...stored(event), time, actor: { name: 'user', kind: 'user' } }, descriptors)
  if (row === undefined) throw new Error('no row')
  return row
}

function stored(event: NewEvent) {
  return { ...event, id: event.id ?? uuidV7(), type: event.type.type, time: event.time ?? new Date() }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

// Batches of 40 one after the other, newer than all of a walk's rows and among them; rows a second.
async function insertMeanwhile(write: (rows: readonly AuditRow[]) => Promise<void>, at: number): Promise<number> {
  const from = performance.now()
  let inserted = 0
  const some = (ms: number) => Array.from({ length: 20 }, (_, n) => rowOf(1000 + inserted++, new Date(at + n * ms)))
  for (let batch = 0; batch < 50; batch++) await write([...some(1_000), ...some(-1)])
  return Math.round((inserted * 1000) / (performance.now() - from))
}
